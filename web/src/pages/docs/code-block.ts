import { createRequire } from 'node:module'
import { attribute, html, type Html, type Piece } from '@probe-mesh/runtime/html'

/** The used part of highlight.js: its own types add browser types to every file. */
type Highlighter = {
  registerLanguage(name: string, language: unknown): void
  getLanguage(name: string): unknown
  highlight(code: string, options: { language: string }): { value: string }
}
const load = createRequire(import.meta.url)
const highlighter = load('highlight.js/lib/core') as Highlighter

/** Terraform files look like `ini`: names, equals signs, strings and comments. */
const languages = {
  bash: 'bash',
  json: 'json',
  python: 'python',
  typescript: 'typescript',
  xml: 'xml',
  yaml: 'yaml',
  hcl: 'ini',
}
for (const [name, file] of Object.entries(languages)) {
  highlighter.registerLanguage(name, load(`highlight.js/lib/languages/${file}`))
}

/** @param copy names the copied text for the button, such as "request"; null: no button */
export const codeBlock = (language: string, code: string, copy: string | null = null): Html =>
  html`<div class="code-block">
    <pre tabindex="0" ${attribute('data-copy', copy)}><code>${highlighted(language, code)}</code></pre>
  </div>`

const highlighted = (language: string, code: string): Piece => {
  const known = { sh: 'bash', '': 'bash', ts: 'typescript', text: 'bash' }[language] ?? language
  if (highlighter.getLanguage(known) === undefined) return code
  return piecesOf(highlighter.highlight(code, { language: known }).value)
}

const signs: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#x27;': "'",
}

/**
 * Converts the markup of highlight.js (spans with classes and escaped text) to pieces that this site escapes
 * itself.
 */
const piecesOf = (markup: string): Piece => {
  type Open = { name: string; content: Piece[] }
  const root: Open = { name: '', content: [] }
  const open: Open[] = [root]
  for (const [part, name] of markup.matchAll(/<span class="([^"]*)">|<\/span>|[^<]+/g)) {
    const current = open.at(-1) ?? root
    if (name !== undefined) open.push({ name, content: [] })
    else if (part === '</span>') {
      open.pop()
      const parent = open.at(-1) ?? root
      parent.content.push(html`<span class="${shortClass(current.name)}">${current.content}</span>`)
    } else current.content.push(part.replace(/&(?:amp|lt|gt|quot|#x27);/g, (sign) => signs[sign] ?? sign))
  }
  return root.content
}

/** `hljs-string` becomes `c-string`, a class of this site's style. */
const shortClass = (name: string): string => `c-${(name.split(' ')[0] ?? '').replace('hljs-', '')}`
