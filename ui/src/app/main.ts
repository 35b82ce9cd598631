// SPDX-License-Identifier: Apache-2.0
import { mount } from 'svelte';
import { httpSource } from '../api/http';
import { pageSource, readPage } from '../api/page';
import { ApiError } from '../api/error';
import { focus } from '../state/focus';
import { router } from '../state/router.svelte';
import { theme } from '../state/theme.svelte';
import { copyFrom } from '../widgets/copy';
import App from './App.svelte';
import Broken from './Broken.svelte';
import './palette.css';
import './tokens.css';
import './base.css';

theme.start();
router.start();
focus.start();

const target = document.getElementById('app');
if (target) {
  try {
    const page = readPage(document.getElementById('steptrace-report')?.textContent);
    const source = page ? pageSource(page) : httpSource;
    copyFrom(source);
    mount(App, { target, props: { source } });
  } catch (thrown) {
    mount(Broken, { target, props: { error: ApiError.of(thrown, 'the report in this page') } });
  }
}
