import { CST, Lexer } from 'yaml'
import { fileLimits } from './checks-file.ts'
import type { Report } from './node.ts'

const refused = {
  anchor: 'anchors (&) are not supported: write the value where it is used',
  tag: 'tags (!) are not supported: each field has a fixed type',
  alias: 'aliases (*) are not supported: repeat the value',
  'block-scalar-header': 'block scalars (| and >) are not supported: write the text in quotes',
  'flow-map-start': 'flow mappings ({}) are not supported: write one key per line',
  'directive-line': 'directives (%) are not supported: the file is YAML 1.2',
  'explicit-key-ind': 'complex keys (?) are not supported: a key is text',
} as const
const documents = 'several documents are not supported: a file is one document'
const documentEnd = 'the document end mark (...) is not supported: a file is one document'
const markLine = 'start the document on its own line, below ---'
const tabs = 'tabs are not supported as indentation: use spaces'

/** Lines of more levels are refused before they are parsed: the parser calls itself for each. */
const levelsMax = 10 * fileLimits.depthMax

/** Where a scan of the tokens is. */
type Scan = {
  lineStart: number
  /** No token of the line was read yet. */
  isFresh: boolean
  /** The first tab before the next token of the line; -1: none. */
  tabAt: number
  /** The mark of a document's start on this line; -1: none. */
  markAt: number
  hasStarted: boolean
  dashes: number
  /** Brackets around the token, and those of them that are inside of a refused mapping. */
  brackets: number
  inMapping: number
  indents: number[]
}

/**
 * Reports what a file of checks does not have of YAML, by its tokens, where the library accepts it.
 * @returns where the text ends that is worth parsing
 */
export const refuseYaml = (text: string, told: Report): number => {
  let left: number = fileLimits.problemsMax
  const report: Report = (at, message) => {
    left -= 1
    told(at, message)
  }
  const scan: Scan = {
    lineStart: 0,
    isFresh: true,
    tabAt: -1,
    markAt: -1,
    hasStarted: false,
    dashes: 0,
    brackets: 0,
    inMapping: 0,
    indents: [],
  }
  let lexemesLeft: number = fileLimits.lexemesMax
  for (const lexeme of lexemes(text)) {
    const { type, source, at } = lexeme
    if (left < 0) return at
    if (lexemesLeft === 0) {
      report(at, 'the file has more tokens than a file of checks can have')
      return 0
    }
    lexemesLeft -= 1
    if (isLayout(scan, lexeme)) continue
    const isSecond = type === 'doc-start' && scan.hasStarted
    if (isSecond || type === 'doc-end') {
      report(at, isSecond ? documents : documentEnd)
      return at
    }
    if (type === 'doc-start') {
      scan.hasStarted = true
      scan.markAt = at
      continue
    }
    if (scan.markAt !== -1) report(at, markLine)
    if (scan.isFresh && scan.tabAt !== -1) report(scan.tabAt, tabs)
    if (levelsAt(scan, lexeme) > levelsMax) {
      report(at, `is nested deeper than ${fileLimits.depthMax} levels`)
      return at
    }
    if (scan.inMapping === 0 && type !== null && type in refused)
      report(at, refused[type as keyof typeof refused])
    countBrackets(scan, type)
    scan.hasStarted ||= type !== 'directive-line'
    scan.isFresh = false
    scan.markAt = -1
    const lastBreak = source.lastIndexOf('\n')
    if (lastBreak !== -1) beginLine(scan, at + lastBreak + 1, lastBreak === source.length - 1)
  }
  return text.length
}

const beginLine = (scan: Scan, at: number, isFresh: boolean): void => {
  Object.assign(scan, { lineStart: at, isFresh, tabAt: -1, dashes: 0 })
}

/** Whether a token is only layout, which is noted. */
const isLayout = (scan: Scan, { type, source, at }: Lexeme): boolean => {
  if (type === 'newline') {
    beginLine(scan, at + source.length, true)
    scan.markAt = -1
    return true
  }
  const tab = type === 'space' ? source.indexOf('\t') : -1
  if (tab !== -1 && scan.tabAt === -1) scan.tabAt = at + tab
  return type !== null && ['space', 'comment', 'doc-mode', 'byte-order-mark'].includes(type)
}

/** How deep a token may be: by the indentations above it and the dashes before it, or by brackets. */
const levelsAt = (scan: Scan, { type, at }: Lexeme): number => {
  if (type === 'seq-item-ind') scan.dashes += 1
  if (scan.brackets > 0) return scan.brackets
  if (scan.isFresh) {
    const column = at - scan.lineStart
    while ((scan.indents.at(-1) ?? -1) >= column) scan.indents.pop()
    scan.indents.push(column)
  }
  return scan.dashes + scan.indents.length
}

const countBrackets = (scan: Scan, type: CST.TokenType | null): void => {
  if (type === 'flow-error-end') Object.assign(scan, { brackets: 0, inMapping: 0 })
  if (type === 'flow-map-start' || type === 'flow-seq-start') {
    scan.brackets += 1
    if (scan.inMapping > 0 || type === 'flow-map-start') scan.inMapping += 1
  }
  if (type === 'flow-map-end' || type === 'flow-seq-end') {
    scan.brackets = Math.max(0, scan.brackets - 1)
    scan.inMapping = Math.max(0, scan.inMapping - 1)
  }
}

/** A slice of the text from YAML's lexer. */
type Lexeme = { type: CST.TokenType | null; source: string; at: number }

/** The lexer's slices with their types: the mark of a scalar is followed by its text. */
export function* lexemes(text: string): Generator<Lexeme, undefined> {
  let at = 0
  let isScalar = false
  for (const source of new Lexer().lex(text)) {
    const type: CST.TokenType | null = isScalar ? 'scalar' : CST.tokenType(source)
    isScalar = !isScalar && type === 'scalar'
    if (isScalar) continue
    yield { type, source, at }
    if (type !== 'doc-mode' && type !== 'flow-error-end') at += source.length
  }
}
