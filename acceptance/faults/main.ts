// `npm run faults [-- F-07 F-15]`: runs the tests of every fault, or of the named ones.
import { realpath } from 'node:fs/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { ensureTestTools } from '@probe-mesh/infra/start/launch/test-tools'
import { faultRows } from './rows.ts'
import { parseSoakPlan, soakUsage } from './soak-plan.ts'

const usage = `\
npm run faults                 every fault; updates docs/reliability.md
npm run faults -- F-07 F-15    only these faults; writes nothing
npm run faults -- --list       list the faults
${soakUsage}\
                               a mesh under load with a fault every 30 s; a soak of an hour or more is recorded
`
const root = fileURLToPath(new URL('../..', import.meta.url))

const refuse = (problem: string): never => {
  process.stderr.write(`${problem}\n\n${usage}`)
  process.exit(2)
}

/** Runs in this process, so that a kill ends the tests too. */
const runTests = async (configuration: string, files: Iterable<string>): Promise<void> => {
  ensureTestTools(process.env['PATH'] ?? '')
  const binary = await realpath(new URL('../../node_modules/.bin/vitest', import.meta.url))
  const config = fileURLToPath(new URL(configuration, import.meta.url))
  process.argv = [process.execPath, binary, 'run', '--root', root, '--config', config, ...files]
  await import(pathToFileURL(binary).href)
}

const soak = async (args: string[]): Promise<void> => {
  const parsed = parseSoakPlan(args)
  if (!parsed.ok) return refuse(parsed.problems.join('\n'))
  process.env['SOAK'] = JSON.stringify(parsed.plan)
  await runTests('soak/vitest.config.ts', [])
}

const faults = async (wanted: readonly string[]): Promise<void> => {
  const unknown = wanted.filter((id) => !faultRows.some((row) => row.id === id))
  if (unknown.length > 0) return refuse(`unknown fault: ${unknown.join(', ')}`)
  const rows = faultRows.filter(({ id }) => wanted.length === 0 || wanted.includes(id))
  process.env['FAULTS'] = rows.map(({ id }) => id).join(',')
  const files = rows.flatMap(({ proofs }) => proofs.map(({ file }) => file))
  await runTests('vitest.config.ts', new Set(files))
}

const args = process.argv.slice(2)
if (args.includes('--help')) process.stdout.write(usage)
else if (args.includes('--soak')) await soak(args)
else if (args.includes('--list')) {
  for (const { id, fault } of faultRows) process.stdout.write(`${id}  ${fault}\n`)
} else await faults(args)
