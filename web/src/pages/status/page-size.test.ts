import { expect, test } from 'vitest'
import { assets } from '../../http/assets.ts'
import { statusFrame } from './status-frame.ts'
import { statusMain } from './status-page.ts'
import { daysOf, documentOf } from './testing.ts'

/** A quarter of a service with some failures, measured from its second month on. */
const noData = { upShare: null, measuredSeconds: 0, unmeasuredSeconds: 86_400 }
const days = daysOf({
  ...Object.fromEntries(Array.from({ length: 30 }, (_, n) => [89 - n, noData])),
  5: { upShare: 0.99931, incidents: 1 },
  17: { upShare: 0.9713, unmeasuredSeconds: 7_200, incidents: 2 },
  40: { maintenanceSeconds: 3_600 },
})

test('a page of twenty components stays below 50 KB, uncompressed', () => {
  const states = Array.from({ length: 20 }, () => 'operational' as const)
  const document = documentOf(states, { text: 'The name of a component', days })
  const { page } = document
  const main = statusMain(document)
  const size = Buffer.byteLength(
    statusFrame(assets, { page, title: 'Acme', path: '', main, components: document.components }),
  )
  expect(size).toBeLessThan(50_000)
})
