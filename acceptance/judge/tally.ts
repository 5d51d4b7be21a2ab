import type { World } from './world/world.ts'

export type Kind = 'decided' | 'undecided'
export type Wrong = string
type Seen = { world: World; service: number; nowMs: number; summary: string }
type Example = {
  seed: number
  name: string
  service: number
  atSeconds: number
  summary: string
}

const examplesMax = 3

const createMatrix = () => {
  const cells = new Map<string, number>()
  return {
    cells,
    add: (kind: Kind, truth: string, answer: string, count = 1): void => {
      const key = `${kind}|${truth}|${answer}`
      cells.set(key, (cells.get(key) ?? 0) + count)
    },
    of: (kind: Kind, truth: string, answer: string): number => cells.get(`${kind}|${truth}|${answer}`) ?? 0,
  }
}
export type Matrix = ReturnType<typeof createMatrix>

const createWrongs = () => {
  const found = new Map<string, { count: number; worlds: Set<number>; examples: Example[] }>()
  return {
    found,
    add: (kind: Kind, wrong: Wrong, { world, service, nowMs, summary }: Seen): void => {
      const key = `${kind}|${wrong}`
      const held = found.get(key) ?? { count: 0, worlds: new Set<number>(), examples: [] }
      found.set(key, held)
      held.count += 1
      if (held.examples.length < examplesMax && !held.worlds.has(world.seed)) {
        const atSeconds = Math.round(nowMs / 1_000)
        held.examples.push({ seed: world.seed, name: world.name, service, atSeconds, summary })
      }
      held.worlds.add(world.seed)
    },
    count: (kind: Kind, wrong: Wrong): number => found.get(`${kind}|${wrong}`)?.count ?? 0,
  }
}

/** The counts of one world or many. */
export type Tally = {
  worlds: number
  answers: Matrix
  checks: Matrix
  wrongs: ReturnType<typeof createWrongs>
  /** Delays until a change was reported, ms, by class; Infinity if it was not. */
  delays: Map<string, number[]>
}

export const newTally = (): Tally => ({
  worlds: 0,
  answers: createMatrix(),
  checks: createMatrix(),
  wrongs: createWrongs(),
  delays: new Map(),
})

export const addDelay = ({ delays }: Tally, name: string, ms: number): void => {
  const held = delays.get(name)
  if (held === undefined) delays.set(name, [ms])
  else held.push(ms)
}

export const addTally = (all: Tally, one: Tally): void => {
  all.worlds += one.worlds
  for (const [name, matrix] of [
    ['answers', one.answers],
    ['checks', one.checks],
  ] as const) {
    for (const [key, count] of matrix.cells) {
      all[name].cells.set(key, (all[name].cells.get(key) ?? 0) + count)
    }
  }
  for (const [key, { count, worlds, examples }] of one.wrongs.found) {
    const held = all.wrongs.found.get(key) ?? { count: 0, worlds: new Set<number>(), examples: [] }
    all.wrongs.found.set(key, held)
    held.count += count
    for (const seed of worlds) held.worlds.add(seed)
    held.examples.push(...examples.slice(0, Math.max(0, examplesMax - held.examples.length)))
  }
  for (const [name, delays] of one.delays) for (const ms of delays) addDelay(all, name, ms)
}

export const percentile = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? 0
}
