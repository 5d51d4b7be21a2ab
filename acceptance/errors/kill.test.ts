import { join } from 'node:path'
import { setTimeout as elapse } from 'node:timers/promises'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { expect, inject, test } from 'vitest'
import { createMeshProcess } from '@probe-mesh/infra/testing/mesh-process'
import { conserveTiers, expectConserved } from './conserve.ts'

const kills = inject('kills')
/** Random time between two kills, so that they hit any step. */
const uptimeMsMin = 200
const uptimeMsMax = 1_500

const folder = testFolder('errors-kill-')
const mesh = useOnce(() =>
  createMeshProcess({
    dataDir: join(folder, 'data'),
    environment: { TIER_OVERRIDES: JSON.stringify(conserveTiers) },
  }),
)

test(
  `every answered event is stored or counted once while npm start is killed ${kills} times under load`,
  { timeout: 1_800_000 },
  async () => {
    await mesh.start()
    const root = new URL(mesh.apiUrl).origin
    const disrupt = async (): Promise<void> => {
      for (let round = 0; round < kills; round++) {
        await elapse(uptimeMsMin + Math.random() * (uptimeMsMax - uptimeMsMin))
        await mesh.kill()
        await mesh.start()
      }
    }
    await expectConserved(
      {
        origin: root,
        roots: [root],
        metricsToken: async () => (await mesh.credentials()).metricsToken,
        stores: mesh.stores,
      },
      { disrupt, what: `npm start killed ${kills} times` },
    )
    expect(await mesh.stop()).toBe(0)
  },
)
