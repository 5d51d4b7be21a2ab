import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { wrongEntries } from './entries.ts'
import { judgeImports } from './judge-imports.ts'
import { packages } from './rooms.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Every source file of this checkout, tests too, by its path. */
export const readTree = (): Map<string, string> => {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.ts', '*.tsx'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 16 * 2 ** 20,
  })
  const paths = listed.trim().split('\n')
  const present = paths.filter((path) => existsSync(join(root, path)))
  return new Map(present.map((path) => [path, readFileSync(join(root, path), 'utf8')]))
}

/** Lists where this checkout breaks the table of rooms, and wrong exports of its packages. */
export const checkRooms = (): string[] => {
  const files = readTree()
  return [...judgeImports(packages, files), ...wrongEntries(root, packages, files)]
}
