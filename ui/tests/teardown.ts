// SPDX-License-Identifier: Apache-2.0
export default function teardown() {
  const pid = Number(process.env.UI_SERVER_PID);
  if (pid > 0) process.kill(pid);
}
