import { dark, highContrastDark, highContrastLight, light, variablesOf } from '../html/components/palette.ts'

/** The CSS files of each layer, from general to specific. */
const layers = {
  tokens: ['tokens'],
  base: ['base'],
  components: ['shapes', 'components', 'controls', 'forms', 'rows'],
  pages: [
    'dashboard',
    'overview',
    'answers',
    'charts',
    'status',
    'errors',
    'docs',
    'page-editor',
    'incidents',
    'site',
  ],
} as const

/** Colours by the reader's preference; a status page and a reader of the dashboard may choose a scheme. */
const colours = `@layer tokens {
:root { ${variablesOf(light)} }
@media (prefers-color-scheme: dark) { :root { ${variablesOf(dark)} } }
.status.light, :root.light { color-scheme: light; ${variablesOf(light)} }
.status.dark, :root.dark { color-scheme: dark; ${variablesOf(dark)} }
.status.high_contrast { ${variablesOf(highContrastLight)} }
@media (prefers-color-scheme: dark) { .status.high_contrast { ${variablesOf(highContrastDark)} } }
}
`

/**
 * The style sheet of all pages.
 * @param read the text of a CSS file of this folder, by name
 * @param fontPaths the addresses of the fonts, by the names in `tokens.css`
 */
export const styleOf = (
  read: (file: string) => string,
  fontPaths: Readonly<Record<string, string>>,
): string => {
  const ordered = Object.entries(layers)
  const text = [
    `@layer ${ordered.map(([name]) => name).join(', ')};\n`,
    colours,
    ...ordered.map(([name, files]) => `@layer ${name} {\n${files.map(read).join('\n')}}\n`),
  ].join('')
  return text.replaceAll(/url\(([\w-]+\.woff2)\)/g, (_, name: string) => {
    const path = fontPaths[name]
    if (path === undefined) throw new Error(`tokens.css names a font that is not served: ${name}`)
    return `url(${path})`
  })
}
