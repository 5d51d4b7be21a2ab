import { readFileSync } from 'node:fs'
import type { Environment } from './env.ts'

const bytesMax = 64 * 1024

/**
 * Adds the contents of the files that `<NAME>_FILE` names to the environment, for secrets of containers and
 * systemd: children and `/proc` see the environment of a process. Each file is read once, at the start,
 * without its last line break.
 * @param names of the variables that may be in files
 * @returns the environment and every problem, without the contents of files
 */
export const withSecretFiles = (
  environment: Environment,
  names: readonly string[],
): { environment: Environment; problems: string[] } => {
  const problems: string[] = []
  const read = (name: string): [string, string][] => {
    const variable = `${name}_FILE`
    const path = environment[variable]?.trim() ?? ''
    if (path === '') return []
    if ((environment[name] ?? '').trim() !== '') {
      problems.push(`${name} and ${variable} are both set`)
      return []
    }
    const problem = (what: string): [] => {
      problems.push(`${variable} ${path} ${what}`)
      return []
    }
    try {
      const bytes = readFileSync(path)
      if (bytes.length > bytesMax) return problem(`is larger than ${bytesMax} bytes`)
      const text = bytes.toString('utf8').trim()
      return text === '' ? problem('is empty') : [[name, text]]
    } catch (error) {
      return problem(`cannot be read: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  return { environment: { ...environment, ...Object.fromEntries(names.flatMap(read)) }, problems }
}
