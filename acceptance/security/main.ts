// `npm run security`: attacks the guards of the product, or plants holes that the attacks must find.
import { fileURLToPath } from 'node:url'
import { textTable } from '@probe-mesh/runtime/tables'
import { findHoles } from './find-holes.ts'
import { holes } from './holes.ts'
import { runProofs } from './proofs.ts'

const usage = `\
npm run security                  attacks addresses, secrets, isolation and regular expressions; writes the matrix
                                  of docs/security.md; 3 minutes
npm run security -- planted       plants a hole of each kind in a copy of the tree, and its proof must find it; 5 minutes
npm run security -- planted NAME  only the holes whose kind or name contains NAME
`
const root = fileURLToPath(new URL('../..', import.meta.url))
const ending = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.once(name, () => {
    process.exitCode = 1
    ending.abort()
  })
}
const print = (text: string): void => void process.stdout.write(`${text}\n`)
const fail = (text: string): void => {
  process.stderr.write(`${text}\n`)
  process.exitCode = 1
}

const attack = async (): Promise<void> => {
  const proven = await runProofs(root, {
    signal: ending.signal,
    onProven: ({ name, problems }) => print(`${name}: ${problems.length === 0 ? 'refused' : 'RED'}`),
  })
  const cells = proven.map(({ name, attacks, refused, seconds }) => [
    name,
    String(attacks),
    String(refused),
    String(seconds),
  ])
  print(`\n${textTable([['proof', 'attacks', 'refused', 'seconds'], ...cells])}`)
  for (const { name, problems } of proven) for (const problem of problems) fail(`\n${name}: ${problem}`)
}

const plant = async (wanted: string): Promise<void> => {
  const chosen = holes.filter(({ kind, name }) => `${kind}, ${name}`.includes(wanted))
  const all = await findHoles(root, chosen, {
    signal: ending.signal,
    onFound: ({ hole, problem, seconds }) =>
      print(`${hole.kind}, ${hole.name}: ${problem === null ? 'found' : 'NOT FOUND'} (${seconds} s)`),
  })
  const cells = all.map(({ hole: { kind, name, proof }, problem, seconds }) => [
    `${kind}: ${name}`,
    proof.files.join(' '),
    problem === null ? 'found' : 'NOT FOUND',
    String(seconds),
  ])
  print(`\n${textTable([['hole', 'proof', 'result', 'seconds'], ...cells])}`)
  for (const { hole, problem } of all) if (problem !== null) fail(`\n${hole.name}: ${problem}`)
  if (all.length < Math.max(1, chosen.length)) fail(`${all.length} of ${chosen.length} holes were tried`)
}

const [command, ...words] = process.argv.slice(2)
if (command === undefined) await attack()
else if (command === 'planted') await plant(words.join(' '))
else fail(usage)
