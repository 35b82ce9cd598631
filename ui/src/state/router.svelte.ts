// SPDX-License-Identifier: Apache-2.0
import { formatRoute, parseRoute, withParams, type Route } from './route';

class Router {
  route = $state.raw<Route>(parseRoute(''));
  /** Grows with each entry of the history that is shown; not when the one that is shown is refined. */
  visit = $state(0);
  /** The fragment that `route` is of: the address is ahead of it while the browser goes elsewhere. */
  address = '';

  /** Follows the address from now on; called once, before the page is drawn. */
  start(): void {
    this.read();
    addEventListener('hashchange', () => {
      this.read();
      this.visit += 1;
    });
  }

  /** A step that `back` undoes. */
  go(route: Route): void {
    const address = formatRoute(route);
    if (address !== location.hash) location.hash = address;
  }

  /** In place of the page that is shown: `back` skips it. */
  replace(route: Route): void {
    history.replaceState(history.state, '', formatRoute(route));
    this.address = location.hash;
    this.route = route;
  }

  /** A refinement of the same page (a filter as it is typed): `back` skips it. */
  refine(changes: Readonly<Record<string, string | null>>): void {
    this.replace({ ...this.route, query: withParams(this.route.query, changes) });
  }

  private read(): void {
    this.address = location.hash;
    this.route = parseRoute(this.address);
  }

  param(name: string): string | null {
    return this.route.query[name] ?? null;
  }
}

export const router = new Router();
