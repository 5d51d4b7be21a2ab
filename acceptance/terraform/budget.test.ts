import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildProvider, type BuiltProvider } from './testing/run-terraform.ts'
import { expectOk, openStage, startPlane, type Plane } from './testing/stage.ts'

/** More checks than one minute's budget of writes, at the default budget, so that it takes minutes. */

const checks = 60
const ordinaryBudget = 1
/** A key may write 30 times a minute, and an operation waits for that once. */
const patience = { timeout: 600_000 }
let plane: Plane
let built: BuiltProvider
beforeAll(async () => {
  ;[built, plane] = await Promise.all([buildProvider(), startPlane(ordinaryBudget)])
}, 120_000)
afterAll(async () => {
  await Promise.all([plane?.at.close(), built?.close()])
})

test(`${checks} checks are created within the default request budget, ten at a time`, patience, async () => {
  const own = await openStage(plane, { providerFolder: built.folder, actMsMax: patience.timeout })
  try {
    const startedAt = Date.now()
    const ran = await own.apply(`resource "service_check" "many" {
  count = ${checks}
  name = "check \${count.index}"
  url = "https://example.com/\${count.index}"
}
`)
    expectOk(ran)
    const names = (await own.checks()).map(({ name }) => name)
    expect(names.length).toBe(checks)
    expect(new Set(names).size).toBe(checks)
    console.info(`${checks} checks in ${Math.round((Date.now() - startedAt) / 1000)} s`)
    await own.expectNothingToDo()
  } finally {
    await own.close()
  }
})
