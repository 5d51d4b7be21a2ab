import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { bundlesFolder, currentBundle, removeOldBundles } from '../launch/bundles.mjs'
import { programs } from '../launch/programs.mjs'
import { buildBundle } from './build.ts'

/**
 * `npm run bundle`: bundles the programs, so that no start reads their sources one by one. The launcher does it for
 * the program that it starts.
 *
 *   npm run bundle                          all programs, for this copy of the project
 *   npm run bundle -- agent --out bundles   the named ones, to bundles/agent, for an image
 */
const root = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '')
const { positionals, values } = parseArgs({ allowPositionals: true, options: { out: { type: 'string' } } })

const unknown = positionals.filter((name) => !programs.some((program) => program.name === name))
if (unknown.length > 0) {
  console.error(`There is no program ${unknown.join(', ')}: ${programs.map(({ name }) => name).join(', ')}`)
  process.exit(2)
}
for (const program of programs) {
  const { name } = program
  if (positionals.length > 0 && !positionals.includes(name)) continue
  const since = performance.now()
  const print = (what: string): void => console.log(`${name}: ${what}`)
  if (values.out === undefined && currentBundle(root, name) !== null) {
    print('is bundled')
    continue
  }
  const out =
    values.out === undefined
      ? join(bundlesFolder(root, name), `${Date.now()}-${process.pid}`)
      : resolve(values.out, name)
  if (values.out !== undefined && existsSync(out)) await rm(out, { recursive: true })
  await buildBundle({ root, program, out })
  if (values.out === undefined) removeOldBundles(root, name)
  print(`bundled in ${Math.round(performance.now() - since)} ms, to ${out}`)
}
