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
  let lineStart = 0
  let isFresh = true
  let tabAt = -1
  let markAt = -1
  let started = false
  let dashes = 0
  /** Brackets around the token, and how many of them are inside of a refused mapping. */
  let brackets = 0
  let inMapping = 0
  const indents: number[] = []
  const tooDeep = (at: number): number => {
    report(at, `is nested deeper than ${fileLimits.depthMax} levels`)
    return at
  }
  for (const { type, source, at } of lexemes(text, report)) {
    if (left < 0) return at
    if (type === 'newline') {
      ;[lineStart, isFresh, tabAt, markAt, dashes] = [at + source.length, true, -1, -1, 0]
      continue
    }
    if (type === 'space') {
      const tab = source.indexOf('\t')
      if (tab !== -1 && tabAt === -1) tabAt = at + tab
      continue
    }
    if (type === 'comment' || type === 'doc-mode' || type === 'byte-order-mark') continue
    if (type === 'doc-start') {
      if (started) return (report(at, documents), at)
      ;[started, markAt] = [true, at]
      continue
    }
    // without a text: there are too many tokens
    if (type === 'doc-end') return (source !== '' && report(at, documentEnd), at)
    if (markAt !== -1) report(at, markLine)
    const isDash = type === 'seq-item-ind'
    if (isDash) dashes += 1
    if (isFresh && tabAt !== -1 && type !== 'directive-line') report(tabAt, tabs)
    if (isFresh && brackets === 0) {
      const column = at - lineStart
      while ((indents.at(-1) ?? -1) >= column) indents.pop()
      indents.push(column)
    }
    if (dashes + indents.length > levelsMax || brackets > levelsMax) return tooDeep(at)
    if (type !== 'directive-line') started = true
    ;[isFresh, markAt] = [false, -1]
    if (inMapping === 0 && type !== null && type in refused) report(at, refused[type as keyof typeof refused])
    const opens = type === 'flow-map-start' || type === 'flow-seq-start'
    const closes = type === 'flow-map-end' || type === 'flow-seq-end'
    if (opens) brackets += 1
    if (opens && (inMapping > 0 || type === 'flow-map-start')) inMapping += 1
    if (closes && inMapping > 0) inMapping -= 1
    if (type === 'flow-error-end') [brackets, inMapping] = [0, 0]
    else if (closes && brackets > 0) brackets -= 1
    const lastBreak = source.lastIndexOf('\n')
    if (lastBreak !== -1) {
      lineStart = at + lastBreak + 1
      isFresh = lastBreak === source.length - 1
      ;[tabAt, dashes] = [-1, 0]
    }
  }
  return text.length
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
      return yield { type: 'doc-end', source: '', at: 0 }
    }
    left -= 1
    const isMark = type === 'doc-mode' || type === 'flow-error-end'
    yield { type, source, at }
    if (!isMark) at += source.length
  }
}
