/** A colour scheme: every text with the ground it stands on, in `#rrggbb`. */
export type Palette = {
  readonly ground: string
  readonly text: string
  readonly muted: string
  readonly link: string
  /** Of fields and buttons, which are found by it. */
  readonly edge: string
  /** Between rows, where nothing depends on seeing it. */
  readonly line: string
  readonly good: Tone
  readonly bad: Tone
  readonly uncertain: Tone
  readonly silent: Tone
}
export type Tone = { readonly ground: string; readonly text: string }

/** Contrast by WCAG 2.2: 1.4.3 (4.5 of text) and 1.4.11 (3 of edges), held by a test. */
export const light: Palette = {
  ground: '#ffffff',
  text: '#1b1c1e',
  muted: '#55585e',
  link: '#0b4fc4',
  edge: '#767a80',
  line: '#d5d8dc',
  good: { ground: '#dff3e4', text: '#10472a' },
  bad: { ground: '#fbe1e1', text: '#7d1010' },
  uncertain: { ground: '#fdf0d3', text: '#5e3b00' },
  silent: { ground: '#e9eaec', text: '#36393e' },
}

export const dark: Palette = {
  ground: '#15171a',
  text: '#ececee',
  muted: '#b3b6bc',
  link: '#8db7ff',
  edge: '#868b93',
  line: '#3a3e44',
  good: { ground: '#12351f', text: '#a9ecbc' },
  bad: { ground: '#4a1616', text: '#ffc9c9' },
  uncertain: { ground: '#41300b', text: '#ffe0a3' },
  silent: { ground: '#2c2f34', text: '#dcdee2' },
}

/** The scheme as custom properties. */
export const variablesOf = ({ good, bad, uncertain, silent, ...plain }: Palette): string =>
  [
    ...Object.entries(plain).map(([name, colour]) => `--${name}: ${colour}`),
    ...Object.entries({ good, bad, uncertain, silent }).flatMap(([name, { ground, text }]) => [
      `--${name}: ${ground}`,
      `--${name}-text: ${text}`,
    ]),
  ].join('; ')
