import {
  amber,
  amberDark,
  blue,
  blueDark,
  brown,
  brownDark,
  green,
  greenDark,
  iris,
  irisDark,
  pink,
  pinkDark,
  plum,
  plumDark,
  sky,
  skyDark,
  slate,
  slateDark,
  teal,
  tealDark,
  tomato,
  tomatoDark,
} from '@radix-ui/colors'
import { readableOn } from './contrast.ts'

/** A colour scheme: each text with its background, as `#rrggbb`. */
export type Palette = {
  /** The page. */
  readonly ground: string
  /** Cards, bars and fields. */
  readonly raised: string
  /** Code, table heads and hovered rows. */
  readonly sunken: string
  readonly text: string
  readonly muted: string
  readonly link: string
  /** Edges of fields and buttons; people recognise fields by it. */
  readonly edge: string
  /** Lines between rows and around cards; decorative. */
  readonly line: string
  /** The main button of a page. */
  readonly action: Tone
  readonly good: Tone
  readonly bad: Tone
  readonly uncertain: Tone
  readonly silent: Tone
  /** Lines and symbols of regions, by slot (components/region-marks.ts); no colour is that of a state. */
  readonly regions: readonly string[]
}
/** `mark` is for symbols and bars on the page background, 3:1 against it. */
type Tone = { readonly ground: string; readonly text: string; readonly mark: string }

/** Steps of a scale of 12 colours: 3 is a ground, 9 a solid colour, 11 a text (Radix Colors). */
type Scale = { readonly ground: string; readonly solid: string; readonly text: string }

const schemeOf = (
  neutral: Omit<Palette, 'link' | 'action' | 'good' | 'bad' | 'uncertain' | 'silent' | 'regions'>,
  scales: Record<'brand' | 'good' | 'bad' | 'uncertain', Scale>,
  silentGround: string,
  regions: readonly string[],
): Palette => {
  const grounds = [neutral.ground, neutral.raised, neutral.sunken]
  const toneOf = ({ ground, solid, text }: Scale): Tone => ({
    ground,
    text: readableOn(text, [ground], 4.5),
    mark: readableOn(solid, grounds, 3),
  })
  const { brand } = scales
  return {
    ...neutral,
    link: readableOn(brand.text, grounds, 4.5),
    action: { ground: brand.solid, text: '#ffffff', mark: readableOn(brand.solid, grounds, 3) },
    good: toneOf(scales.good),
    bad: toneOf(scales.bad),
    uncertain: toneOf(scales.uncertain),
    silent: {
      ground: silentGround,
      text: readableOn(neutral.muted, [silentGround], 4.5),
      mark: neutral.edge,
    },
    regions: regions.map((colour) => readableOn(colour, grounds, 3)),
  }
}

/** Contrast by WCAG 2.2: 1.4.3 (4.5 of text) and 1.4.11 (3 of edges and marks). */
export const light: Palette = schemeOf(
  {
    ground: slate.slate2,
    raised: '#ffffff',
    sunken: slate.slate3,
    text: slate.slate12,
    muted: slate.slate11,
    edge: readableOn(slate.slate9, [slate.slate2, slate.slate3, '#ffffff'], 3),
    line: slate.slate6,
  },
  {
    brand: { ground: iris.iris3, solid: iris.iris9, text: iris.iris11 },
    good: { ground: green.green3, solid: green.green9, text: green.green11 },
    bad: { ground: tomato.tomato3, solid: tomato.tomato9, text: tomato.tomato11 },
    uncertain: { ground: amber.amber3, solid: amber.amber9, text: amber.amber11 },
  },
  slate.slate4,
  [blue.blue9, plum.plum9, brown.brown9, teal.teal9, pink.pink9, sky.sky9],
)

export const dark: Palette = schemeOf(
  {
    ground: slateDark.slate1,
    raised: slateDark.slate2,
    sunken: slateDark.slate3,
    text: slateDark.slate12,
    muted: slateDark.slate11,
    edge: readableOn(slateDark.slate9, [slateDark.slate1, slateDark.slate2, slateDark.slate3], 3),
    line: slateDark.slate6,
  },
  {
    brand: { ground: irisDark.iris3, solid: irisDark.iris9, text: irisDark.iris11 },
    good: { ground: greenDark.green3, solid: greenDark.green9, text: greenDark.green11 },
    bad: { ground: tomatoDark.tomato3, solid: tomatoDark.tomato9, text: tomatoDark.tomato11 },
    uncertain: { ground: amberDark.amber3, solid: amberDark.amber9, text: amberDark.amber11 },
  },
  slateDark.slate4,
  [blueDark.blue9, plumDark.plum9, brownDark.brown9, tealDark.teal9, pinkDark.pink9, skyDark.sky9],
)

/** For readers who prefer more contrast: all text at 7:1 (WCAG 2.2, 1.4.6), and strong lines. */
export const highContrastLight: Palette = {
  ...light,
  ground: '#ffffff',
  sunken: '#ffffff',
  text: '#000000',
  muted: '#000000',
  link: '#2a2a8c',
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
  sunken: '#000000',
  text: '#ffffff',
  muted: '#ffffff',
  link: '#d2ceff',
  edge: '#ffffff',
  line: '#ffffff',
  good: { ...dark.good, text: '#ffffff' },
  bad: { ...dark.bad, text: '#ffffff' },
  uncertain: { ...dark.uncertain, text: '#ffffff' },
  silent: { ...dark.silent, text: '#ffffff' },
}

/** The scheme as custom properties. */
export const variablesOf = ({ action, good, bad, uncertain, silent, regions, ...plain }: Palette): string =>
  [
    ...Object.entries(plain).map(([name, colour]) => `--${name}: ${colour}`),
    ...regions.map((colour, slot) => `--r${slot}: ${colour}`),
    ...Object.entries({ action, good, bad, uncertain, silent }).flatMap(([name, tone]) => [
      `--${name}: ${tone.ground}`,
      `--${name}-text: ${tone.text}`,
      `--${name}-mark: ${tone.mark}`,
    ]),
  ].join('; ')
