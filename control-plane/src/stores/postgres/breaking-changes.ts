/** What is no statement of ours to judge: comments, texts, bodies of functions. */
const opaque = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|\$(?<tag>\w*)\$[\s\S]*?\$\k<tag>\$/g

/**
 * What of a migration would hurt the version before it, which serves while it runs: each statement's
 * beginning. It reads words and knows no grammar, so it errs towards finding something. Pure.
 */
export const breakingChanges = (migration: string): string[] =>
  migration
    .replaceAll(opaque, ' ')
    .split(';')
    .map((statement) => statement.trim().replaceAll(/\s+/g, ' ').toLowerCase())
    .filter(isBreaking)
    .map((statement) => statement.split(' ').slice(0, 4).join(' '))

const isBreaking = (statement: string): boolean => {
  if (/^drop (table|view|type|function|procedure|schema|materialized|role)\b/.test(statement))
    return true
  if (/^(revoke|truncate|rename)\b/.test(statement)) return true
  if (!/^alter (table|type|view)\b/.test(statement)) return false
  return partsOf(statement).some(
    (part) =>
      /\bdrop (?!not null\b|default\b|expression\b)/.test(part) ||
      /\brename\b/.test(part) ||
      /\balter (column )?\S+ (set data )?type\b/.test(part) ||
      /\bset not null\b/.test(part) ||
      /\badd (constraint|check|unique|primary|foreign|exclude)\b/.test(part) ||
      (/\badd (column )?\S+/.test(part) &&
        /\bnot null\b/.test(part) &&
        !/\bdefault\b|\bgenerated\b/.test(part)),
  )
}

/** The actions of one `alter table`: commas outside of brackets part them. */
const partsOf = (statement: string): string[] => {
  const parts = ['']
  let depth = 0
  for (const character of statement) {
    if (character === '(') depth++
    if (character === ')') depth--
    if (character === ',' && depth === 0) parts.push('')
    else parts[parts.length - 1] += character
  }
  return parts
}
