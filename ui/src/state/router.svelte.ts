// SPDX-License-Identifier: Apache-2.0
import { formatRoute, parseRoute, withParams, type Route } from './route';

class Router {
  route = $state.raw<Route>(parseRoute(''));

  /** Follows the address from now on; called once, before the page is drawn. */
  start(): void {
    this.route = parseRoute(location.hash);
    addEventListener('hashchange', () => (this.route = parseRoute(location.hash)));
  }

  /** A step that `back` undoes. */
  go(route: Route): void {
    const address = formatRoute(route);
    if (address !== location.hash) location.hash = address;
  }

  /** In place of the page that is shown: `back` skips it. */
  replace(route: Route): void {
    history.replaceState(null, '', formatRoute(route));
    this.route = route;
  }

  /** A refinement of the same page (a filter as it is typed): `back` skips it. */
  refine(changes: Readonly<Record<string, string | null>>): void {
    this.replace({ ...this.route, query: withParams(this.route.query, changes) });
  }

  param(name: string): string | null {
    return this.route.query[name] ?? null;
  }
}

export const router = new Router();
