import { useTestSql } from '@probe-mesh/infra/testing/postgres'
import { expect, test } from 'vitest'
import { epochMs, isoText } from './epoch-ms.ts'

const sql = useTestSql({ role: 'probe_mesh_system' })

test.each([
  ['2026-11-29 10:00:00.123999+00'],
  ['2026-03-29 02:30:00+01'],
  ['1969-12-31 23:59:59.999999+00'],
  ['9999-12-31 23:59:59.999+00'],
])('%s is read as the driver reads it', async (text) => {
  await sql.begin(async (tx) => {
    await tx`set local time zone 'Asia/Kathmandu'`
    const at = tx`${text}::text::timestamptz`
    const [row] = await tx<{ ms: number; iso: string; date: Date }[]>`
      select ${epochMs(tx, at)} as ms, ${isoText(tx, at)} as iso, ${at} as date`
    expect(row?.ms).toBe(row?.date.getTime())
    expect(row?.iso).toBe(row?.date.toISOString())
  })
})

test('no time stays null', async () => {
  const [row] = await sql`
    with t as (select null::timestamptz as at)
    select ${epochMs(sql, 't.at')} as ms, ${isoText(sql, 'at')} as iso from t`
  expect(row).toEqual({ ms: null, iso: null })
})
