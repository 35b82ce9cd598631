// SPDX-License-Identifier: Apache-2.0
// The address holds the whole state of a page, so that reload, back, forward and a link in a mail show the
// same. It is a fragment: any server that serves the page can serve every state of it, and a file can too.

export type Query = Readonly<Record<string, string>>;

export type Route =
  | { readonly kind: 'runs'; readonly query: Query }
  | { readonly kind: 'compare'; readonly a: string; readonly b: string; readonly query: Query }
  | { readonly kind: 'run'; readonly run: string; readonly view: string; readonly query: Query }
  | { readonly kind: 'unknown'; readonly path: string; readonly query: Query };

const decode = (part: string): string => {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
};

export function parseRoute(fragment: string): Route {
  const [path = '', search = ''] = fragment.replace(/^#/, '').split(/\?(.*)/s, 2);
  const query = Object.fromEntries(new URLSearchParams(search));
  const parts = path.split('/').filter(Boolean).map(decode);
  const [head, first, second] = parts;
  if (parts.length === 0 || (head === 'runs' && parts.length === 1)) return { kind: 'runs', query };
  if (head === 'compare' && first && second && parts.length === 3)
    return { kind: 'compare', a: first, b: second, query };
  if (head === 'run' && first && parts.length <= 3)
    return { kind: 'run', run: first, view: second ?? 'overview', query };
  return { kind: 'unknown', path, query };
}

export function formatRoute(route: Route): string {
  const query = new URLSearchParams(route.query).toString();
  return `#${pathOf(route)}${query ? `?${query}` : ''}`;
}

function pathOf(route: Route): string {
  switch (route.kind) {
    case 'runs':
      return '/runs';
    case 'compare':
      return `/compare/${encodeURIComponent(route.a)}/${encodeURIComponent(route.b)}`;
    case 'run':
      return `/run/${encodeURIComponent(route.run)}/${encodeURIComponent(route.view)}`;
    case 'unknown':
      return route.path;
  }
}

/** A query with some parameters set; null or '' removes one. */
export function withParams(query: Query, changes: Readonly<Record<string, string | null>>): Query {
  const next: Record<string, string> = { ...query };
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') Reflect.deleteProperty(next, name);
    else next[name] = value;
  }
  return next;
}
