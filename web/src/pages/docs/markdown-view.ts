import markdownIt from 'markdown-it'
import { attribute, html, textOf, type Html, type Piece } from '@probe-mesh/runtime/html'
import { codeBlock } from './code-block.ts'

const parser = markdownIt({ html: false, linkify: false })
type Token = ReturnType<typeof parser.parse>[number]

/** A section of a guide below a second-level heading. */
type Part = { id: string; title: string; text: string }

/** The target of a link, and its title if it is a page of the documentation. */
export type Link = { path: string; title: string | null }

export type Read = {
  main: Html
  /** The first paragraph. */
  lead: string
  parts: readonly Part[]
}

/**
 * A guide as a page without its first heading. HTML in the text is escaped.
 * @param link returns the target of a link; null: only its text is shown
 */
export const readMarkdown = (text: string, link: (href: string) => Link | null): Read => {
  const all = parser.parse(text, {})
  const start = all.findIndex(({ type, tag }) => type === 'heading_close' && tag === 'h1') + 1
  const tokens = all.slice(start)
  const ids = idsOf(tokens)
  const lead = tokens.findIndex(({ type }) => type === 'inline')
  return {
    main: html`${render(tokens, { ids, link })}`,
    lead: tokens[lead - 1]?.type === 'paragraph_open' ? plain(tokens[lead]) : '',
    parts: partsOf(tokens, ids),
  }
}

const plain = (token: Token | undefined): string =>
  (token?.children ?? [])
    .map(({ type, content }) => (type === 'softbreak' ? ' ' : content))
    .join('')
    .trim()

/** Ids of headings as on GitHub, so that links between documents work. */
const idsOf = (tokens: readonly Token[]): ReadonlyMap<Token, string> => {
  const counts = new Map<string, number>()
  return new Map(
    tokens.flatMap((token, at) => {
      if (token.type !== 'heading_open') return []
      const words = plain(tokens[at + 1])
      const id = words
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-')
      const count = counts.get(id) ?? 0
      counts.set(id, count + 1)
      return [[token, count === 0 ? id : `${id}-${count}`] as const]
    }),
  )
}

const partsOf = (tokens: readonly Token[], ids: ReadonlyMap<Token, string>): Part[] => {
  const parts: Part[] = []
  const texts: string[] = []
  for (const [at, token] of tokens.entries()) {
    if (token.type === 'heading_open' && token.tag === 'h2') {
      parts.push({ id: ids.get(token) ?? '', title: plain(tokens[at + 1]), text: '' })
    }
    const part = parts.at(-1)
    if (part === undefined) continue
    if (token.type === 'inline') texts.push(plain(token))
    const isLast = at === tokens.length - 1 || tokens[at + 1]?.tag === 'h2'
    if (isLast) part.text = texts.splice(0).join(' ')
  }
  return parts
}

type Context = { ids: ReadonlyMap<Token, string>; link: (href: string) => Link | null }

/** Elements that guides may use. */
const elements: ReadonlySet<string> = new Set(
  'p ul ol li blockquote strong em s table thead tbody tr th td h1 h2 h3 h4 h5 h6 a'.split(' '),
)

const render = (tokens: readonly Token[], context: Context): Piece => {
  type Open = { token: Token | null; content: Piece[] }
  const root: Open = { token: null, content: [] }
  const open: Open[] = [root]
  for (const token of tokens) {
    const current = open.at(-1) ?? root
    if (token.nesting === 1) open.push({ token, content: [] })
    else if (token.nesting === -1) {
      open.pop()
      const parent = open.at(-1) ?? root
      if (current.token !== null) parent.content.push(element(current.token, current.content, context))
    } else current.content.push(single(token, context))
  }
  return root.content
}

const element = (token: Token, content: readonly Piece[], { ids, link }: Context): Piece => {
  const { tag } = token
  if (token.hidden || !elements.has(tag)) return content
  if (tag === 'a') {
    const to = link(String(token.attrGet('href') ?? ''))
    if (to === null) return content
    // replaces the file name in a link text by the title of the page
    const [only] = content
    const isFile = content.length === 1 && typeof only === 'string' && /\S\.md$/.test(only)
    return html`<a href="${to.path}">${isFile && to.title !== null ? to.title : content}</a>`
  }
  if (tag === 'table') {
    return html`<div class="scroll" role="group" aria-label="Table" tabindex="0">
      <table>
        ${content}
      </table>
    </div>`
  }
  if (tag === 'th') return textOf(content) === '' ? html`<td></td>` : html`<th scope="col">${content}</th>`
  const name = /^h[56]$/.test(tag) ? 'h4' : tag
  return html`<${name}${attribute('id', ids.get(token) ?? null)}>${content}</${name}>`
}

const single = (token: Token, context: Context): Piece => {
  const { type, content, children, info } = token
  if (type === 'inline') return render(children ?? [], context)
  if (type === 'fence' || type === 'code_block') return codeBlock(info.trim(), content.trimEnd(), '')
  if (type === 'code_inline') return html`<code>${content}</code>`
  if (type === 'softbreak') return '\n'
  if (type === 'hardbreak') return html`<br />`
  if (type === 'hr') return html`<hr />`
  return content
}
