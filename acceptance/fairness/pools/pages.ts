import { AsyncLocalStorage } from 'node:async_hooks'
import { pagePools } from '@probe-mesh/contracts/status-page/page-pools'
import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import { createLogoEncoder } from '@probe-mesh/control-plane/src/status-pages/logo/logo-encoder'
import type { FairnessCase } from './case.ts'
import { turnsCase, type Opened } from './turns.ts'

/** The encoder of logos, which decodes images when the test allows it. */
const openEncoder = (): Opened => {
  const holds = new AsyncLocalStorage<() => Promise<void>>()
  const encoder = createLogoEncoder({
    encode: async () => {
      await holds.getStore()?.()
      return { problem: 'the work has ended' }
    },
  })
  return {
    perform: (owner, hold) =>
      holds.run(hold, async () => {
        const answer = await encoder.encode(owner, new Uint8Array())
        return isRefusal(answer) ? answer.refused : answer
      }),
  }
}

const { logoImages } = pagePools

export const pageCases = {
  logoImages: turnsCase({
    pool: logoImages,
    crowds: [2, 50, logoImages.bounds.waiting - 1],
    open: openEncoder,
    refused: 'SV-9002',
  }),
} satisfies Record<keyof typeof pagePools, FairnessCase>
