import { messageOf } from '@probe-mesh/runtime/errors'
import {
  isAlias,
  isCollection,
  isPair,
  isScalar,
  Lexer,
  LineCounter,
  parseDocument,
  Parser,
  visit,
  type Document,
} from 'yaml'
import { importLimits } from './draft.ts'

/**
 * Reads a configuration as full YAML, with anchors and merge keys, within bounds. A repeated key is
 * a problem, as it is for the programs that own these files.
 * @returns the value, or every problem of the text
 */
export const readYamlSource = (
  text: string,
): { ok: true; value: unknown } | { ok: false; problems: string[] } => {
  if (text.length > importLimits.yamlCharactersMax) {
    return { ok: false, problems: [`has more than ${importLimits.yamlCharactersMax} characters`] }
  }
  try {
    if (isNestedDeeper(text, importLimits.yamlDepthMax)) {
      return { ok: false, problems: [`nests deeper than ${importLimits.yamlDepthMax} levels`] }
    }
    const lineCounter = new LineCounter()
    const document = parseDocument(text, {
      merge: true,
      logLevel: 'error',
      lineCounter,
      // the library's duplicate check compares every pair of keys
      uniqueKeys: false,
      // the library quotes the line of each error, and a line may be the whole text
      prettyErrors: false,
    })
    const problems = [
      ...document.errors.map(({ message, pos: [at] }) => {
        const { line, col } = lineCounter.linePos(at)
        return `${message} at line ${line}, column ${col}`
      }),
      ...repeatedKeys(document),
    ]
    if (problems.length > 0) return { ok: false, problems }
    if (writtenOut(document) > importLimits.yamlNodesMax) {
      const message = `has more than ${importLimits.yamlNodesMax} values with its aliases expanded`
      return { ok: false, problems: [message] }
    }
    return { ok: true, value: document.toJS({ maxAliasCount: importLimits.yamlNodesMax }) }
  } catch (error) {
    // merging something that is not a map
    const message = messageOf(error)
    return { ok: false, problems: [`cannot be read: ${message}`] }
  }
}

/**
 * Whether maps and lists nest deeper than `depthMax`, judged on tokens: later steps recurse, and
 * their time grows with the square of the depth.
 */
const isNestedDeeper = (text: string, depthMax: number): boolean => {
  const parser = new Parser()
  for (const lexeme of new Lexer().lex(text)) {
    Array.from(parser.next(lexeme))
    // the document itself is one level
    if (parser.stack.length > depthMax + 1) return true
  }
  return false
}

const repeatedKeys = (document: Document): string[] => {
  const problems: string[] = []
  visit(document, {
    Map: (_, { items }) => {
      const keys = new Set<unknown>()
      for (const { key } of items) {
        const name = isScalar(key) ? key.value : key
        if (keys.has(name) && name !== '<<') problems.push(`has the key ${String(name)} twice`)
        keys.add(name)
      }
    },
  })
  return problems
}

/** The number of nodes with all aliases expanded, as merging expands them. */
const writtenOut = (document: Document): number => {
  const sizes = new Map<string, number>()
  const sizeOf = (node: unknown): number => {
    if (isAlias(node)) return sizes.get(node.source) ?? 1
    if (isPair(node)) return sizeOf(node.key) + sizeOf(node.value)
    // infinite for an alias within its own anchor
    if (isCollection(node) && node.anchor !== undefined) sizes.set(node.anchor, Infinity)
    const size = isCollection(node) ? node.items.reduce<number>((sum, item) => sum + sizeOf(item), 1) : 1
    if (isCollection(node) && node.anchor !== undefined) sizes.set(node.anchor, size)
    return size
  }
  return sizeOf(document.contents)
}
