import { codeOf } from '@probe-mesh/runtime/errors'

/** A fault that repeats is logged again after this, ms, with a count. */
const everyMs = 30_000
const kindsMax = 500
/** Levels from warnings on. Others are rare, or chosen. */
const levelMin = 40

/** Fields that make two lines of one text two faults. */
const subjects = ['accountId', 'checkId', 'channelId', 'agent', 'requestId', 'route']

type Kind = { more: number; last: unknown[]; write: (line: unknown[]) => void }

/**
 * Writes the first line of a fault at once, and its repetitions as one line with their count, without the
 * stack. A fault is a text with a code, about one account, check, channel or agent.
 */
export const createRepeats = (
  ms: number = everyMs,
): { write(line: unknown[], level: number, write: (line: unknown[]) => void): void } => {
  const kinds = new Map<string, Kind>()
  const open = (key: string, write: Kind['write'], last: unknown[]): void => {
    const kind: Kind = { more: 0, last, write }
    kinds.set(key, kind)
    setTimeout(() => {
      kinds.delete(key)
      if (kind.more === 0) return
      kind.write(repeated(kind, ms))
      // it goes on: count further ones too
      open(key, kind.write, kind.last)
    }, ms).unref()
  }
  return {
    write: (line, level, write) => {
      if (level < levelMin) return write(line)
      const key = keyOf(line, level)
      const known = kinds.get(key)
      if (known !== undefined) {
        known.more++
        known.last = line
        known.write = write
        return
      }
      write(line)
      // so many different faults are not worth a place each
      if (kinds.size < kindsMax) open(key, write, line)
    },
  }
}

const keyOf = (line: readonly unknown[], level: number): string => {
  const [fields, text] = typeof line[0] === 'string' ? [{}, line[0]] : [Object(line[0]), line[1]]
  const { err } = fields as { err?: unknown }
  const about = subjects.map((name) => Reflect.get(fields, name))
  return JSON.stringify([level, text, codeOf(err), err instanceof Error ? err.name : '', ...about])
}

const repeated = ({ last, more }: Kind, ms: number): unknown[] => {
  const [first, ...rest] = last
  const repeats = { repeated: more, withinSeconds: Math.round(ms / 1_000) }
  if (typeof first === 'string') return [repeats, ...last]
  const { err, ...fields } = Object(first) as { err?: unknown }
  const cause = err instanceof Error ? { error: err.message } : {}
  return [{ ...fields, ...cause, ...repeats }, ...rest]
}
