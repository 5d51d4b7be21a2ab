import { AsyncLocalStorage } from 'node:async_hooks'
import { importPools } from '@probe-mesh/contracts/check/import-pools'
import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import { createImportReader } from '@probe-mesh/control-plane/imports/import-reader'
import type { FairnessCase } from './case.ts'
import { byTurns, turnsCase, type Opened } from './turns.ts'

/** The reader of imports, which reads when the test allows it. */
const openReader = (): Opened => {
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
        const answer = await reader.read(owner, { kind: 'curl', text: 'curl', taken: [] })
        return isRefusal(answer) ? answer.refused : answer
      }),
  }
}

const { bounds } = importPools.imports

export const importCases = {
  imports: turnsCase({
    bounds,
    crowds: [2, 20, bounds.waiting - 1],
    open: openReader,
    within: byTurns,
    refused: 'SV-9002',
    slow: importPools.imports,
  }),
} satisfies Record<keyof typeof importPools, FairnessCase>
