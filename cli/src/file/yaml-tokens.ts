import { CST, Lexer } from 'yaml'
import { fileLimits } from './checks-file.ts'
import type { Report } from './node.ts'

/** Tokens with a lookahead of two. */
export type Tokens = {
  peek(): Token
  second(): Token
  take(): Token
  /** Stops reading: the rest of the text cannot add useful problems. */
  cut(): void
  isCut(): boolean
}

/** @returns the tokens of the text, created on demand: memory does not grow with the text */
export const yamlTokens = (text: string, report: Report): Tokens => {
  const source = subsetTokens(text, report)
  const waiting: Token[] = []
  const state = { isCut: false }
  const end: Token = {
    kind: 'end',
    at: text.trimEnd().length,
    text: '',
    column: -1,
    isFirst: true,
    isAfterTab: false,
  }
  const ahead = (count: number): Token => {
    while (!state.isCut && waiting.length < count) {
      const next = source.next()
      if (next.done === true) break
      waiting.push(next.value)
    }
    return waiting[count - 1] ?? end
  }
  return {
    peek: () => ahead(1),
    second: () => ahead(2),
    take: () => {
      const token = ahead(1)
      waiting.shift()
      return token
    },
    cut: () => {
      state.isCut = true
      waiting.length = 0
    },
    isCut: () => state.isCut,
  }
}

/**
 * A token of our YAML subset. Refused constructs are reported here, where YAML's own lexer names
 * them, and leave an `invalid` token in place of a value, or nothing.
 */
export type Token = {
  kind:
    | 'plain'
    | 'quoted'
    | 'invalid'
    | 'dash'
    | 'colon'
    | 'question'
    | 'open'
    | 'close'
    | 'comma'
    | 'cut'
    | 'stray'
    | 'end'
  at: number
  text: string
  /** From 0. */
  column: number
  /** The first token of its line: its column is an indentation. */
  isFirst: boolean
  /** A tab precedes the token. */
  isAfterTab: boolean
}

const refused = {
  anchor: 'anchors (&) are not supported: write the value where it is used',
  tag: 'tags (!) are not supported: each field has a fixed type',
  alias: 'aliases (*) are not supported: repeat the value',
  block: 'block scalars (| and >) are not supported: write the text in quotes',
  flowMap: 'flow mappings ({}) are not supported: write one key per line',
  directive: 'directives (%) are not supported: the file is YAML 1.2',
  documents: 'several documents are not supported: a file is one document',
  documentEnd: 'the document end mark (...) is not supported: a file is one document',
  markLine: 'start the document on its own line, below ---',
  tab: 'tabs are not supported as indentation: use spaces',
  comment: 'a space is missing before the comment',
} as const

const kinds = {
  'seq-item-ind': 'dash',
  'map-value-ind': 'colon',
  'explicit-key-ind': 'question',
  'flow-seq-start': 'open',
  'flow-seq-end': 'close',
  'flow-error-end': 'cut',
  comma: 'comma',
  'flow-map-end': 'stray',
  'single-quoted-scalar': 'quoted',
  'double-quoted-scalar': 'quoted',
} as const satisfies Partial<Record<CST.TokenType, Token['kind']>>

/** Creates tokens with their positions, and reports what is refused. */
function* subsetTokens(text: string, report: Report): Generator<Token, undefined> {
  const all = lexemes(text, report)
  const line: Line = { start: 0, isFresh: true, isAfterTab: false, tabAt: -1 }
  /** Where an anchor or tag started the node that follows it on its line. */
  let properties: Pick<Token, 'column' | 'isFirst'> | null = null
  let [documents, hasContent, markEnd] = [0, false, -1]
  const token = (kind: Token['kind'], { at, source }: Lexeme): Token => {
    if (line.isFresh && line.tabAt !== -1) report(line.tabAt, refused.tab)
    if (markEnd !== -1) report(at, refused.markLine)
    const made = {
      kind,
      at,
      text: source,
      column: properties?.column ?? at - line.start,
      isFirst: properties?.isFirst ?? line.isFresh,
      isAfterTab: line.isAfterTab,
    }
    properties = null
    markEnd = -1
    hasContent = true
    line.isFresh = false
    line.isAfterTab = false
    line.tabAt = -1
    const lastBreak = source.lastIndexOf('\n')
    if (lastBreak !== -1) line.start = at + lastBreak + 1
    return made
  }
  for (let next = all.next(); next.done !== true; next = all.next()) {
    const lexeme = next.value
    const { type, source, at } = lexeme
    switch (type) {
      case 'doc-mode':
      case 'byte-order-mark':
        break
      case 'newline':
        if (source === '') break
        line.start = at + source.length
        line.isFresh = true
        line.isAfterTab = false
        line.tabAt = -1
        properties = null
        markEnd = -1
        break
      case 'space': {
        const tab = source.indexOf('\t')
        if (tab === -1) break
        line.isAfterTab = true
        if (line.tabAt === -1) line.tabAt = at + tab
        break
      }
      case 'comment':
        if (at > 0 && !/\s/.test(text.charAt(at - 1))) report(at, refused.comment)
        break
      case 'directive-line':
        report(at, refused.directive)
        break
      case 'doc-start':
        documents += 1
        if (documents > 1 || hasContent) {
          report(at, refused.documents)
          return
        }
        line.isFresh = false
        markEnd = at
        break
      case 'doc-end':
        report(at, refused.documentEnd)
        return
      case 'anchor':
      case 'tag':
        if (line.isFresh && line.tabAt !== -1) report(line.tabAt, refused.tab)
        report(at, refused[type])
        properties ??= { column: at - line.start, isFirst: line.isFresh }
        line.isFresh = false
        break
      case 'alias':
        report(at, refused.alias)
        yield token('invalid', lexeme)
        break
      case 'block-scalar-header':
        report(at, refused.block)
        yield token('invalid', lexeme)
        skipBlock(all, line)
        break
      case 'flow-map-start':
        report(at, refused.flowMap)
        yield token('invalid', lexeme)
        skipFlowMap(all, line)
        break
      case 'scalar':
        yield token('plain', lexeme)
        break
      case null:
        yield token('stray', lexeme)
        break
      default:
        yield token(type in kinds ? kinds[type as keyof typeof kinds] : 'stray', lexeme)
    }
  }
}

/** The current line while tokens are created. */
type Line = { start: number; isFresh: boolean; isAfterTab: boolean; tabAt: number }

/** Skips the text of a block scalar, the first scalar after its header. */
const skipBlock = (all: Generator<Lexeme, undefined>, line: Line): void => {
  for (let next = all.next(); next.done !== true; next = all.next()) {
    const { type, source, at } = next.value
    if (type !== 'scalar') continue
    Object.assign(line, { start: at + source.length, isFresh: true, tabAt: -1 })
    return
  }
}

/** Skips the rest of a flow mapping. */
const skipFlowMap = (all: Generator<Lexeme, undefined>, line: Line): void => {
  let depth = 1
  for (let next = all.next(); next.done !== true; next = all.next()) {
    const { type, source, at } = next.value
    const lastBreak = source.lastIndexOf('\n')
    if (lastBreak !== -1) line.start = at + lastBreak + 1
    if (type === 'flow-map-start' || type === 'flow-seq-start') depth += 1
    if (type === 'flow-map-end' || type === 'flow-seq-end') depth -= 1
    if (depth === 0 || type === 'flow-error-end') {
      line.isFresh = type === 'flow-error-end'
      return
    }
  }
}

/** A slice of the text from YAML's lexer. */
type Lexeme = { type: CST.TokenType | null; source: string; at: number }

/** The lexer's slices with their types: the mark of a scalar is followed by its text. */
export function* lexemes(text: string, report: Report): Generator<Lexeme, undefined> {
  let at = 0
  let left: number = fileLimits.lexemesMax
  let isScalar = false
  for (const source of new Lexer().lex(text)) {
    const type = isScalar ? 'scalar' : CST.tokenType(source)
    if (!isScalar && type === 'scalar') {
      isScalar = true
      continue
    }
    isScalar = false
    if (left === 0) {
      report(at, 'the file has more tokens than a file of checks can have')
      return
    }
    left -= 1
    const isMark = type === 'doc-mode' || type === 'flow-error-end'
    yield { type, source, at }
    if (!isMark) at += source.length
  }
}
