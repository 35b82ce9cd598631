# SPDX-License-Identifier: Apache-2.0
trap "echo terminated; exit 9" TERM
kill -TERM $$
sleep 5
