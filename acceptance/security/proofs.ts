import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { withMatrix } from './matrix-document.ts'
import { casesOf, matrixProblems, measureMatrix } from './measure-matrix.ts'
import { runTests } from './run-tests.ts'

export type Proven = {
  name: string
  attacks: number
  refused: number
  seconds: number
  problems: readonly string[]
}

const longRuns = 'acceptance/security/long-runs.test.ts'

/** The tests of each proof. A test is an attack: a call, a row, a text or a run of characters. */
const testsOf = (root: string): Record<string, { files: readonly string[]; title?: string }> => ({
  secrets: {
    files: [
      'acceptance/security/security.test.ts',
      'control-plane/src/secrets/seal-assignments.test.ts',
      'control-plane/src/secrets/secrets.test.ts',
      'control-plane/src/secrets/vault.property.test.ts',
      'probe-agent/src/secrets/mask.test.ts',
      'probe-agent/src/secrets/requests.test.ts',
    ],
  },
  isolation: {
    files: [
      'control-plane/src/http/isolation.test.ts',
      'control-plane/src/http/walk.test.ts',
      'control-plane/src/stores/postgres/isolation.test.ts',
    ],
  },
  'regular expressions': existsSync(join(root, longRuns))
    ? { files: [longRuns] }
    : { files: ['probe-agent/src/http1/response-reader.test.ts'], title: 'takes linear time' },
})

/** For the files of one proof, on a busy machine. */
const proofMsMax = 900_000

/** Runs all proofs one after another. It writes the matrix of addresses to docs/security.md. */
export const runProofs = async (
  root: string,
  { signal, onProven }: { signal: AbortSignal; onProven(proven: Proven): void },
): Promise<Proven[]> => {
  const all: Proven[] = []
  const add = (proven: Proven): void => {
    all.push(proven)
    onProven(proven)
  }
  add(await proveAddresses(root))
  for (const [name, tests] of Object.entries(testsOf(root))) {
    if (signal.aborted) break
    const run = await runTests(root, tests, { msMax: proofMsMax, signal })
    const { tests: attacks, passed: refused, seconds, failures: problems } = run
    add({ name, attacks, refused, seconds, problems })
  }
  return all
}

const proveAddresses = async (root: string): Promise<Proven> => {
  const beganMs = performance.now()
  const rows = await measureMatrix()
  const document = join(root, 'docs/security.md')
  const day = new Date().toISOString().slice(0, 10)
  await writeFile(document, withMatrix(await readFile(document, 'utf8'), rows, day))
  const refused = rows
    .flatMap(({ cells }) => Object.values(cells))
    .reduce((sum, cell) => sum + cell.refused, 0)
  return {
    name: 'addresses',
    attacks: casesOf(rows),
    refused,
    seconds: Math.round((performance.now() - beganMs) / 1_000),
    problems: matrixProblems(rows),
  }
}
