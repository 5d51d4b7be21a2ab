import { CST, Lexer } from 'yaml'
import { fileLimits } from './checks-file.ts'
import type { Say } from './node.ts'

/** The tokens with two to look ahead at, as reading takes them. */
export type Tokens = {
  peek(): Token
  second(): Token
  take(): Token
  /** Reads nothing further: the rest of the text is not worth more problems. */
  cut(): void
  isCut(): boolean
}

/** @returns the tokens of the text, made as they are asked for: memory does not grow with it */
export const yamlTokens = (text: string, say: Say): Tokens => {
  const source = subsetTokens(text, say)
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
 * The tokens of a YAML text that our subset has. What it refuses is noted here, where YAML's own
 * lexer names it, and leaves an `unread` token in the place of a value or nothing.
 */
export type Token = {
  kind:
    | 'plain'
    | 'quoted'
    | 'unread'
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
  /** The first of its line: its column is an indentation. */
  isFirst: boolean
  /** A tab stands between it and the token before. */
  isAfterTab: boolean
}

const refused = {
  anchor: 'anchors (&) are refused: write the value where it belongs',
  tag: 'tags (!) are refused: the fields know their types',
  alias: 'aliases (*) are refused: write the value again',
  block: 'block scalars (| and >) are refused: write the text in quotes',
  flowMap: 'flow mappings ({}) are refused: write one key a line',
  directive: 'directives (%) are refused: the file is YAML 1.2 as it is',
  documents: 'several documents are refused: a file is one',
  documentEnd: 'the end mark of a document (...) is refused: a file is one document',
  markLine: 'the document starts on a line of its own, below ---',
  tab: 'tabs are refused as indentation: use spaces',
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

/** Makes the tokens one after another, with their places, and says what is refused. */
function* subsetTokens(text: string, say: Say): Generator<Token, undefined> {
  const all = lexemes(text, say)
  const line: Line = { start: 0, isFresh: true, isAfterTab: false, tabAt: -1 }
  /** Where an anchor or tag began the node that follows it on its line. */
  let properties: Pick<Token, 'column' | 'isFirst'> | null = null
  let [documents, hasContent, markEnd] = [0, false, -1]
  const token = (kind: Token['kind'], { at, source }: Lexeme): Token => {
    if (line.isFresh && line.tabAt !== -1) say(line.tabAt, refused.tab)
    if (markEnd !== -1) say(at, refused.markLine)
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
        if (at > 0 && !/\s/.test(text.charAt(at - 1))) say(at, refused.comment)
        break
      case 'directive-line':
        say(at, refused.directive)
        break
      case 'doc-start':
        documents += 1
        if (documents > 1 || hasContent) {
          say(at, refused.documents)
          return
        }
        line.isFresh = false
        markEnd = at
        break
      case 'doc-end':
        say(at, refused.documentEnd)
        return
      case 'anchor':
      case 'tag':
        if (line.isFresh && line.tabAt !== -1) say(line.tabAt, refused.tab)
        say(at, refused[type])
        properties ??= { column: at - line.start, isFirst: line.isFresh }
        line.isFresh = false
        break
      case 'alias':
        say(at, refused.alias)
        yield token('unread', lexeme)
        break
      case 'block-scalar-header':
        say(at, refused.block)
        yield token('unread', lexeme)
        skipBlock(all, line)
        break
      case 'flow-map-start':
        say(at, refused.flowMap)
        yield token('unread', lexeme)
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

/** Where a line stands while its tokens are made. */
type Line = { start: number; isFresh: boolean; isAfterTab: boolean; tabAt: number }

/** Takes the text of a block scalar, the first scalar after its header. */
const skipBlock = (all: Generator<Lexeme, undefined>, line: Line): void => {
  for (let next = all.next(); next.done !== true; next = all.next()) {
    const { type, source, at } = next.value
    if (type !== 'scalar') continue
    Object.assign(line, { start: at + source.length, isFresh: true, tabAt: -1 })
    return
  }
}

/** Takes what is left of a flow mapping, with all that is in it. */
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

/** A slice of the text as YAML's lexer cuts it. */
type Lexeme = { type: CST.TokenType | null; source: string; at: number }

/** The lexer's slices with their types: after the mark of a scalar comes its text, whatever it holds. */
export function* lexemes(text: string, say: Say): Generator<Lexeme, undefined> {
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
      say(at, 'the file has more marks and values than checks could have')
      return
    }
    left -= 1
    const isMark = type === 'doc-mode' || type === 'flow-error-end'
    yield { type, source, at }
    if (!isMark) at += source.length
  }
}
