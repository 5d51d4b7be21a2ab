import { Parser } from 'commonmark'
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { parse, parseFragment, type DefaultTreeAdapterTypes as Tree, type ParserError } from 'parse5'

/** The result of parsing a document: its texts, its links, and forbidden parts. */
export type Judged = {
  texts: string[]
  links: string[]
  /** The targets of its forms. */
  actions: string[]
  problems: string[]
  /** Posted forms with a text field, by target. */
  forms: Map<string, [name: string, isTyped: boolean, value: string][]>
}

export const nothing = (): Judged => ({
  texts: [],
  links: [],
  actions: [],
  problems: [],
  forms: new Map(),
})

/** Whether a payload created this name: all payloads use these letters. */
const isMade = (name: string): boolean => /zq/i.test(name)

const elements = new Set(
  `html head meta title link script body nav main header footer section article aside h1 h2 h3 h4 h5 h6
  p a ul ol li dl dt dd div span strong em b i small code pre kbd time bdi abbr table caption thead tbody
  tfoot tr th td form fieldset legend label input select option optgroup textarea button output details
  summary svg g path rect line circle polyline polygon text tspan desc defs pattern use img template hr br
  blockquote figure figcaption mark progress meter`.split(/\s+/),
)
/** Attributes with an address that a browser follows or loads. */
const addresses = new Set(['href', 'src', 'action', 'formaction', 'xlink:href', 'cite', 'poster'])
/** Attributes that define structure: they contain no text from outside. */
const structural = new Set(['class', 'id', 'for', 'name', 'type', 'rel', 'method', 'role', 'lang'])
/** Parse errors for characters that are unusual but change nothing. */
const oddSigns = /^(control-character|noncharacter|surrogate)-in-input-stream$/

const origin = 'http://127.0.0.1:8080'

/**
 * Parses a page, or a part of one, as browsers do.
 * @param known.links allowed addresses on other sites
 */
export const judgeHtml = (
  text: string,
  known: { links?: ReadonlySet<string>; isPart?: boolean; styles?: boolean } = {},
): Judged => {
  const judged = nothing()
  const { problems } = judged
  const options = {
    onParseError: ({ code, startLine, startCol }: ParserError) => {
      if (oddSigns.test(code)) return
      problems.push(`${code} at ${startLine}:${startCol}`)
    },
  }
  const tree = known.isPart === true ? parseFragment(text, options) : parse(text, options)
  const walk = (node: Tree.Node): void => {
    if (node.nodeName === '#text') judged.texts.push((node as Tree.TextNode).value)
    if (node.nodeName === '#comment') problems.push('a comment')
    if ('tagName' in node) {
      judgeElement(node, known, judged)
      if (node.tagName === 'form') addForm(node, judged)
    }
    if ('childNodes' in node) node.childNodes.forEach(walk)
    if (node.nodeName === 'template') walk((node as Tree.Template).content)
  }
  walk(tree)
  return judged
}

const judgeElement = (
  element: Tree.Element,
  { links, styles = false }: { links?: ReadonlySet<string>; styles?: boolean },
  judged: Judged,
): void => {
  const { tagName, attrs, childNodes } = element
  const { problems } = judged
  const preview = isOurFrame(element) ? attributeOf(element, 'src') : undefined
  if (preview !== undefined) judged.links.push(preview)
  else if (!elements.has(tagName) && !(styles && tagName === 'style')) {
    problems.push(`an element ${tagName}`)
  }
  const isOurScript = attributeOf(element, 'src')?.startsWith('/assets/') && childNodes.length === 0
  if (tagName === 'script' && !isOurScript) problems.push('a script of its own')
  if (tagName === 'meta' && attributeOf(element, 'http-equiv') !== undefined) {
    problems.push('an http-equiv')
  }
  for (const { name, value, prefix } of attrs) {
    const full = prefix ? `${prefix}:${name}` : name
    const isAllowed = /^[a-z][a-z:-]*\d?$/i.test(full) && !/^(on|srcdoc|srcset)/.test(full)
    if (!isAllowed || isMade(full) || (full === 'style' && !styles)) {
      problems.push(`an attribute ${full} of ${tagName}`)
    }
    if (structural.has(full) && isMade(value)) problems.push(`${full}="${value}" of ${tagName}`)
    if (addresses.has(full)) judgeAddress(value, links ?? new Set(), judged, full)
    else judged.texts.push(value)
  }
}

/** The preview of a status page, isolated in its frame. */
const isOurFrame = (element: Tree.Element): boolean =>
  element.tagName === 'iframe' &&
  attributeOf(element, 'sandbox') === 'allow-same-origin' &&
  /^\/dashboard\/pages\/[0-9a-f-]{36}\/preview$/.test(attributeOf(element, 'src') ?? '')

const attributeOf = ({ attrs }: Tree.Element, name: string): string | undefined =>
  attrs.find((each) => each.name === name)?.value

const addForm = (form: Tree.Element, { forms }: Judged): void => {
  const fields: [string, boolean, string][] = []
  const walk = (node: Tree.Node): void => {
    if ('tagName' in node && /^(input|textarea|select)$/.test(node.tagName)) {
      const type = attributeOf(node, 'type') ?? 'text'
      const isTyped = node.tagName === 'textarea' || /^(text|url|email|search)$/.test(type)
      const isChosen = type !== 'radio' || attributeOf(node, 'checked') !== undefined
      const name = attributeOf(node, 'name')
      const value = attributeOf(node, 'value') ?? ''
      if (name !== undefined && isChosen && node.tagName !== 'select') {
        fields.push([name, isTyped, value])
      }
    }
    if ('childNodes' in node) node.childNodes.forEach(walk)
  }
  walk(form)
  const action = attributeOf(form, 'action')
  const isPosted = attributeOf(form, 'method')?.toLowerCase() === 'post'
  if (isPosted && action !== undefined && fields.some(([, isTyped]) => isTyped)) {
    forms.set(action, fields)
  }
}

const judgeAddress = (
  address: string,
  given: ReadonlySet<string>,
  { links, actions, texts, problems }: Judged,
  attribute = 'href',
): void => {
  texts.push(address)
  if (given.has(address)) return
  const url = URL.parse(address, origin)
  if (url?.origin !== origin) problems.push(`an address ${address}`)
  else if (attribute === 'href') links.push(url.pathname + url.search)
  else if (attribute === 'action') actions.push(url.pathname)
}

/** Parses a feed or a picture as XML: well-formed, and without elements or attributes from a payload. */
export const judgeXml = (text: string, known: { links: ReadonlySet<string> }): Judged => {
  const judged = nothing()
  const valid = XMLValidator.validate(text)
  if (valid !== true) judged.problems.push(`not well-formed: ${valid.err.msg}`)
  if (/^\s*(<\?xml[^>]*>)?\s*<!DOCTYPE/i.test(text)) judged.problems.push('a document type')
  const tree: unknown = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: '@',
    textNodeName: '#text',
    parseTagValue: false,
    trimValues: false,
  }).parse(text)
  const walk = (node: unknown, path: string): void => {
    if (typeof node === 'string') {
      judged.texts.push(node)
      // feed readers show these as HTML: in RSS all but titles, in Atom if it is declared
      if (/(description|content:encoded|content|summary)$/.test(path) && path.includes('item')) {
        addPart(judged, node, known)
      }
      if (/entry\.(title|content|summary)\.#text$/.test(path)) addPart(judged, node, known)
    } else if (Array.isArray(node)) for (const each of node) walk(each, path)
    else {
      for (const [name, value] of Object.entries(node ?? {})) {
        if (isMade(name)) judged.problems.push(`${name} in ${path}`)
        if (/^@(xlink:)?(href|url|src)$/.test(name)) judgeAddress(String(value), known.links, judged)
        else walk(value, `${path}.${name}`)
      }
    }
  }
  walk(tree, '')
  return judged
}

const addPart = (judged: Judged, text: string, known: { links: ReadonlySet<string> }): void => {
  const { texts, problems } = judgeHtml(text, { ...known, isPart: true })
  judged.texts.push(...texts)
  judged.problems.push(...problems)
}

/** Our JSON documents contain only our names, whatever the texts are. */
export const judgeJson = (text: string): Judged => {
  const judged = nothing()
  const walk = (value: unknown): void => {
    if (typeof value === 'string') judged.texts.push(value)
    if (typeof value !== 'object' || value === null) return
    for (const [name, part] of Object.entries(value)) {
      if (isMade(name)) judged.problems.push(`a name ${name}`)
      walk(part)
    }
  }
  walk(JSON.parse(text))
  return judged
}

/** Parses Markdown as CommonMark: only text, and links of ours. */
export const judgeMarkdown = (text: string, known: { links: ReadonlySet<string> }): Judged => {
  const judged = nothing()
  const walker = new Parser().parse(text).walker()
  let block = ''
  for (let event = walker.next(); event !== null; event = walker.next()) {
    const { node, entering } = event
    const { type, literal, destination } = node
    if (entering && (type === 'html_block' || type === 'html_inline' || type === 'image')) {
      judged.problems.push(`${type}: ${literal ?? destination}`)
    }
    if (entering && type === 'link') judgeAddress(destination ?? '', known.links, judged)
    if (type === 'text' || type === 'code') block += literal ?? ''
    if (type === 'softbreak' || type === 'linebreak') block += ' '
    if (!entering && (type === 'paragraph' || type === 'heading')) {
      judged.texts.push(block)
      block = ''
    }
  }
  return judged
}

/** Parses RFC 5545: unfolded lines with one property each, and components that open and close in order. */
export const judgeCalendar = (text: string): Judged => {
  const judged = nothing()
  const open: string[] = []
  for (const line of text
    .replace(/\r\n[ \t]/g, '')
    .split('\r\n')
    .slice(0, -1)) {
    const [, name = '', value = ''] = /^([A-Z-]+)(?:;[^:]*)?:(.*)$/s.exec(line) ?? []
    if (name === '' || /[\r\n]/.test(line)) judged.problems.push(`no property: ${line}`)
    if (isMade(name)) judged.problems.push(`a property ${name}`)
    if (name === 'BEGIN') open.push(value)
    if (name === 'END' && open.pop() !== value) judged.problems.push(`END:${value}`)
    judged.texts.push(value.replace(/\\([\\;,nN])/g, (_, sign) => (/n/i.test(sign) ? '\n' : sign)))
  }
  if (open.length > 0) judged.problems.push(`not closed: ${open.join()}`)
  return judged
}
