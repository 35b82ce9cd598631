// SPDX-License-Identifier: Apache-2.0
// Light or dark: the system's choice unless the reader made one. Colours are tokens in app/tokens.css;
// canvases, which know no CSS variables, ask here and are drawn again when the theme changes.
import { CATEGORIES } from '../base/color';

export type ThemeChoice = 'system' | 'light' | 'dark';

const KEY = 'steptrace.theme';
const CHOICES: readonly ThemeChoice[] = ['system', 'light', 'dark'];

function stored(): ThemeChoice {
  try {
    const value = localStorage.getItem(KEY);
    return CHOICES.find((c) => c === value) ?? 'system';
  } catch {
    return 'system'; // a file opened from disk may have no storage
  }
}

class Theme {
  choice = $state<ThemeChoice>('system');
  private systemDark = $state(false);
  /** What is printed: paper is light, and as wide as nobody measures. */
  paper = $state(false);
  readonly dark = $derived(
    !this.paper && (this.choice === 'dark' || (this.choice === 'system' && this.systemDark)),
  );

  start(): void {
    const system = matchMedia('(prefers-color-scheme: dark)');
    system.addEventListener('change', () => {
      this.systemDark = system.matches;
      this.apply();
    });
    const print = matchMedia('print');
    print.addEventListener('change', () => {
      this.paper = print.matches;
      this.apply();
    });
    this.systemDark = system.matches;
    this.choice = stored();
    this.apply();
  }

  choose(choice: ThemeChoice): void {
    this.choice = choice;
    try {
      localStorage.setItem(KEY, choice);
    } catch {
      // The choice lasts as long as the page.
    }
    this.apply();
  }

  toggle(): void {
    this.choose(this.dark ? 'light' : 'dark');
  }

  /** The value of a token, e.g. `color('--text')`; reading it in an effect follows the theme. */
  color(token: string): string {
    void this.dark;
    return getComputedStyle(document.documentElement).getPropertyValue(token).trim();
  }

  /** The categorical colours, `--cat-0` to `--cat-7`. */
  palette(): string[] {
    return CATEGORIES.map((token) => this.color(token));
  }

  private apply(): void {
    document.documentElement.dataset.theme = this.dark ? 'dark' : 'light';
  }
}

export const theme = new Theme();
