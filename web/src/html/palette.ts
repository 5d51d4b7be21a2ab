/** A colour scheme: every text with the ground it stands on, in `#rrggbb`. */
export type Palette = {
  readonly ground: string
  /** Of cards and bars, a little off the ground. */
  readonly raised: string
  readonly text: string
  readonly muted: string
  readonly link: string
  /** Of fields and buttons, which are found by it. */
  readonly edge: string
  /** Between rows, where nothing depends on seeing it. */
  readonly line: string
  /** Of the one button that a page is about. */
  readonly action: Tone
  readonly good: Tone
  readonly bad: Tone
  readonly uncertain: Tone
  readonly silent: Tone
}
/** `mark` is for signs and bars on the page's ground, 3:1 against it. */
export type Tone = { readonly ground: string; readonly text: string; readonly mark: string }

/** Contrast by WCAG 2.2: 1.4.3 (4.5 of text) and 1.4.11 (3 of edges and marks), held by a test. */
export const light: Palette = {
  ground: '#ffffff',
  raised: '#f6f7f9',
  text: '#1b1c1e',
  muted: '#55585e',
  link: '#0b4fc4',
  edge: '#767a80',
  line: '#d5d8dc',
  action: { ground: '#0b4fc4', text: '#ffffff', mark: '#0b4fc4' },
  good: { ground: '#dff3e4', text: '#10472a', mark: '#1d7a45' },
  bad: { ground: '#fbe1e1', text: '#7d1010', mark: '#c02626' },
  uncertain: { ground: '#fdf0d3', text: '#5e3b00', mark: '#9a6700' },
  silent: { ground: '#e9eaec', text: '#36393e', mark: '#767a80' },
}

export const dark: Palette = {
  ground: '#15171a',
  raised: '#1d2024',
  text: '#ececee',
  muted: '#b3b6bc',
  link: '#8db7ff',
  edge: '#868b93',
  line: '#3a3e44',
  action: { ground: '#8db7ff', text: '#0d1a33', mark: '#8db7ff' },
  good: { ground: '#12351f', text: '#a9ecbc', mark: '#4cc38a' },
  bad: { ground: '#4a1616', text: '#ffc9c9', mark: '#ff7b72' },
  uncertain: { ground: '#41300b', text: '#ffe0a3', mark: '#e3a008' },
  silent: { ground: '#2c2f34', text: '#dcdee2', mark: '#868b93' },
}

/** For those who asked for it: every text 7:1 (WCAG 2.2, 1.4.6), and lines that cannot be missed. */
export const highContrastLight: Palette = {
  ...light,
  raised: '#ffffff',
  text: '#000000',
  muted: '#000000',
  link: '#003a9e',
  edge: '#000000',
  line: '#000000',
  good: { ...light.good, text: '#003318' },
  bad: { ...light.bad, text: '#5c0000' },
  uncertain: { ...light.uncertain, text: '#3d2600' },
  silent: { ...light.silent, text: '#000000', mark: '#55585e' },
}

export const highContrastDark: Palette = {
  ...dark,
  ground: '#000000',
  raised: '#000000',
  text: '#ffffff',
  muted: '#ffffff',
  link: '#b9d3ff',
  edge: '#ffffff',
  line: '#ffffff',
  good: { ...dark.good, text: '#ffffff' },
  bad: { ...dark.bad, text: '#ffffff' },
  uncertain: { ...dark.uncertain, text: '#ffffff' },
  silent: { ...dark.silent, text: '#ffffff' },
}

/** The scheme as custom properties. */
export const variablesOf = ({ action, good, bad, uncertain, silent, ...plain }: Palette): string =>
  [
    ...Object.entries(plain).map(([name, colour]) => `--${name}: ${colour}`),
    ...Object.entries({ action, good, bad, uncertain, silent }).flatMap(([name, tone]) => [
      `--${name}: ${tone.ground}`,
      `--${name}-text: ${tone.text}`,
      `--${name}-mark: ${tone.mark}`,
    ]),
  ].join('; ')
