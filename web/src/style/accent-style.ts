import { readableOn, textOn } from '../html/components/contrast.ts'
import { dark, light, type Palette } from '../html/components/palette.ts'

/**
 * A page's accent colour for its links and button, as a separate style sheet, since the policy forbids inline
 * styles. It is adjusted to be readable on every background.
 * @param accent `#rrggbb`
 */
export const accentStyle = (accent: string): string => {
  const [onLight, onDark] = [propertiesOn(light, accent), propertiesOn(dark, accent)]
  return `.status{${onLight}}
@media (prefers-color-scheme: dark){.status{${onDark}}}
.status.light{${onLight}}
.status.dark{${onDark}}
`
}

const propertiesOn = ({ ground, raised }: Palette, accent: string): string => {
  const colour = readableOn(accent, [ground, raised], 4.5)
  return `--accent:${colour};--link:${colour};--action:${colour};--action-text:${textOn(colour)}`
}
