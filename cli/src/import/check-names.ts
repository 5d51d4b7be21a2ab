import { parseUrl } from '@probe-mesh/contracts/target/parse-url'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { storable } from './assertable.ts'
import { note } from './draft.ts'
import type { Draft } from './draft.ts'
import { quoted } from './import-note.ts'

/**
 * Gives names as a file has them: "`name` is the match key and must be unique within the file"
 * (specification, Command-line tool). A name that is not the monitor's own gets a note.
 * @returns a function that names one draft after the other
 */
export const checkNames = (): ((draft: Draft) => string) => {
  const taken = new Set<string>()
  const counts = new Map<string, number>()
  return (draft) => {
    const base = baseName(draft)
    let name = base
    for (let count = counts.get(base) ?? 1; taken.has(name);) {
      count += 1
      counts.set(base, count)
      name = cut(base, ` (${count})`)
    }
    if (name !== base) note(draft, 'name', `is ${quoted(base)} there, as another one is`)
    taken.add(name)
    return name
  }
}

const baseName = (draft: Draft): string => {
  const kept = storable(draft.name)
  if (kept.trim() === '') {
    note(draft, 'name', 'is blank: the check has the name of its host')
    return cut(parseUrl(draft.url)?.hostname ?? draft.at, '')
  }
  if (kept !== draft.name) note(draft, 'name', 'is without NUL and halves of surrogate pairs')
  const base = cut(kept, '')
  if (base !== kept) note(draft, 'name', `is cut to ${limits.nameCharactersMax} characters`)
  return base
}

/** A name with its ending, as long as names may be, and never cut inside a character. */
const cut = (name: string, ending: string): string => {
  const room = limits.nameCharactersMax - ending.length
  if (name.length <= room) return name + ending
  return name.slice(0, room).replace(/[\uD800-\uDBFF]$/, '') + ending
}
