import { readFileSync } from 'node:fs'

type Copied = { from: string | null; sources: string[]; target: string }

/** A stage of a Dockerfile, with its base. */
export type Stage = {
  name: string
  base: string
  copies: Copied[]
  runs: string[]
  /** The last of each kind. */
  user: string | null
  entrypoint: string[]
  environment: string
}

/**
 * Parses the parts of a Dockerfile that the tests need: not every instruction, and of their options only
 * `--from`.
 */
export const readDockerfile = (path: URL): Map<string, Stage> => {
  const text = readFileSync(path, 'utf8')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, ' ')
  const stages = new Map<string, Stage>()
  let stage: Stage | null = null
  for (const line of text.split('\n')) {
    const [instruction = '', ...words] = line.trim().split(/\s+/)
    const rest = words.join(' ')
    if (instruction === 'FROM') {
      const [base = '', , name = ''] = words
      const former = stages.get(base)
      const began = former ?? { user: null, entrypoint: [], environment: '' }
      stage = { ...began, name, base, copies: [], runs: [] }
      stages.set(name, stage)
    }
    if (stage === null) continue
    if (instruction === 'RUN') stage.runs.push(rest)
    if (instruction === 'USER') stage.user = rest
    if (instruction === 'ENV') stage.environment += ` ${rest}`
    if (instruction === 'ENTRYPOINT') stage.entrypoint = JSON.parse(rest) as string[]
    if (instruction === 'COPY') {
      const from = words.find((word) => word.startsWith('--from='))?.slice('--from='.length) ?? null
      const places = words.filter((word) => !word.startsWith('--'))
      stage.copies.push({ from, sources: places.slice(0, -1), target: places.at(-1) ?? '' })
    }
  }
  return stages
}

/** A stage with its bases, the first base first. */
export const lineage = (stages: ReadonlyMap<string, Stage>, name: string): Stage[] => {
  const stage = stages.get(name)
  return stage === undefined ? [] : [...lineage(stages, stage.base), stage]
}
