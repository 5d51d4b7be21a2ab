import { AsyncLocalStorage } from 'node:async_hooks'
import { importPools, shortImportCharactersMax } from '@probe-mesh/contracts/check/import-pools'
import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import { createImportReader } from '@probe-mesh/control-plane/src/imports/import-reader'
import type { FairnessCase } from './case.ts'
import { turnsCase, type Opened } from './turns.ts'

/** The reader of imports, which reads when the test allows it. */
const openReader = (text: string) => (): Opened => {
  const holds = new AsyncLocalStorage<() => Promise<void>>()
  const reader = createImportReader({
    read: async () => {
      await holds.getStore()?.()
      return { problems: ['the work has ended'] }
    },
  })
  return {
    perform: (owner, hold) =>
      holds.run(hold, async () => {
        const answer = await reader.read(owner, { kind: 'curl', text, taken: [] })
        return isRefusal(answer) ? answer.refused : answer
      }),
  }
}

const caseOf = (name: keyof typeof importPools, text: string): FairnessCase => {
  const pool = importPools[name]
  return turnsCase({
    pool,
    crowds: [2, pool.bounds.waiting - 1],
    open: openReader(text),
    refused: 'SV-9002',
  })
}

export const importCases = {
  imports: caseOf('imports', 'curl'),
  longImports: caseOf('longImports', 'x'.repeat(shortImportCharactersMax + 1)),
} satisfies Record<keyof typeof importPools, FairnessCase>
