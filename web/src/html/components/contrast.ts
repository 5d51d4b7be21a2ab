/** Relative luminance (WCAG 2.2, glossary). @param colour `#rrggbb` */
const luminanceOf = (colour: string): number => {
  const [red = 0, green = 0, blue = 0] = partsOf(colour)
    .map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** Contrast of two colours by WCAG 2.2, from 1 to 21. */
export const contrastOf = (one: string, other: string): number => {
  const [brighter, darker] = [luminanceOf(one), luminanceOf(other)].toSorted((a, b) => b - a)
  return ((brighter ?? 0) + 0.05) / ((darker ?? 0) + 0.05)
}

/**
 * The colour itself if it is readable on all these grounds, else the nearest colour towards black or white
 * that is readable.
 * @param least contrast, such as 4.5 for text (WCAG 2.2, 1.4.3); at most what black or white reaches
 */
export const readableOn = (colour: string, grounds: readonly string[], least: number): string => {
  const isReadable = (tried: string): boolean => grounds.every((ground) => contrastOf(tried, ground) >= least)
  const steps = Array.from({ length: 21 }, (_, step) => step / 20)
  const towards = ['#000000', '#ffffff'].filter(isReadable)
  const candidates = steps.flatMap((share) => towards.map((end) => mixed(colour, end, share)))
  return candidates.find(isReadable) ?? colour
}

/** Black or white, whichever has more contrast with the ground; at least 4.5. */
export const textOn = (ground: string): string =>
  contrastOf('#000000', ground) >= contrastOf('#ffffff', ground) ? '#000000' : '#ffffff'

const partsOf = (colour: string): number[] =>
  [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16))

const mixed = (colour: string, end: string, share: number): string => {
  const ends = partsOf(end)
  const parts = partsOf(colour).map((part, at) => Math.round(part + ((ends[at] ?? part) - part) * share))
  return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`
}
