import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { createClient } from '@clickhouse/client'
import { connectClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import { beforeAll, describe, expect, test } from 'vitest'
import { useTestClickHouse } from '../../../testing/clickhouse.ts'

const database = useTestClickHouse()
const client = database.use()
beforeAll(async () => {
  await client.command({
    query: 'create table bytes (id Int32, text String) engine = MergeTree order by id',
  })
})

const rows = async (query: string, query_params: Record<string, unknown> = {}): Promise<unknown[]> =>
  (await client.query({ query, query_params, format: 'JSONEachRow' })).json()

/** A request without the client: fetch accepts no password in its URL. */
const post = async (
  search: Record<string, string>,
  init: {
    body?: Uint8Array<ArrayBuffer> | string
    headers?: Record<string, string>
    path?: string
  } = {},
): Promise<Response> => {
  const url = new URL(database.url)
  const authorization = `Basic ${btoa(`${url.username}:${url.password}`)}`
  const target = new URL(init.path ?? '/', `http://${url.host}`)
  target.search = new URLSearchParams({ database: url.pathname.slice(1), ...search }).toString()
  return fetch(target, {
    method: 'POST',
    body: init.body ?? null,
    headers: { authorization, ...init.headers },
  })
}

describe('the password', () => {
  test.each(['/', '/ping'])('is required: %s refuses a wrong or missing one with 516', async (path) => {
    for (const authorization of ['', 'Basic bWVzaDp3cm9uZw==']) {
      const response = await post({ query: 'select 1' }, { path, headers: { authorization } })
      expect(response.status).toBe(403)
      expect(response.headers.get('x-clickhouse-exception-code')).toBe('516')
    }
  })

  test('is accepted for a ping if it is right, and the client gets the type of a refusal', async () => {
    const wrong = new URL(database.url)
    wrong.password = 'wrong'
    const intruder = connectClickHouse(wrong.href)
    await expect(intruder.query({ query: 'select 1' })).rejects.toMatchObject({
      code: '516',
      type: 'AUTHENTICATION_FAILED',
    })
    await intruder.close()
    expect(await client.ping()).toEqual({ success: true })
  })
})

describe('the facade stores what the client sends without changes', () => {
  test('for rows with strings of every kind', async () => {
    const values = [
      { id: 1, text: "it's; a\ttab\n\nand \\ back" },
      { id: 2, text: '' },
      { id: 3, text: 'ä🙂' },
    ]
    const { summary } = await client.insert({ table: 'bytes', values, format: 'JSONEachRow' })
    expect(summary?.written_rows).toBe('3')
    expect(await rows('select id, text from bytes where id < 10 order by id')).toEqual(values)
  })

  test('for bytes that are not text, also after a line break or a space', async () => {
    for (const first of [0x0a, 0x20, 0x3b, 0xff]) {
      const row = Buffer.from([first, 1, 0, 0, 3, 0x00, 0xff, 0x0a])
      const { stream } = await client.exec({
        query: 'INSERT INTO bytes FORMAT RowBinary',
        values: Readable.from([row], { objectMode: false }),
      })
      await stream.resume().toArray()
    }
    const body = Buffer.concat([
      Buffer.from('insert into bytes format RowBinary\n'),
      Buffer.from([0x01, 1, 0, 0, 1, 0xfe]),
    ])
    expect((await post({}, { body })).status).toBe(200)
    expect(
      await rows('select id, hex(text) as text from bytes where id between 256 and 511 order by id'),
    ).toEqual([{ id: 257, text: 'FE' }, ...[266, 288, 315, 511].map((id) => ({ id, text: '00FF0A' }))])
  })

  test.each([
    ['RowBinary', 'insert into bytes format RowBinary', Buffer.from([1, 8, 0, 0, 2, 0x0a, 0x0a])],
    ['CSV', 'insert into bytes format CSV', '2049,a\n\ncreate table smuggled (a UInt8) engine = Memory'],
    ['rows in the statement', '', 'insert into bytes format JSONEachRow\n{"id":2049}\n\n{"id":2050}'],
  ])('or nothing of %s with a blank line, after which chDB would run a statement', async (_, query, body) => {
    const response = await post(query === '' ? {} : { query }, { body })
    expect(response.headers.get('x-clickhouse-exception-code')).toBe('48')
    expect(await response.text()).toContain('takes no blank line')
    expect(await rows('select id from bytes where id between 2049 and 2050')).toEqual([])
    expect(await rows("select name from system.tables where name = 'smuggled'")).toEqual([])
  })

  test('for parameters of every type', async () => {
    const at = new Date('2026-11-20T10:11:12.345Z')
    const found = await rows(
      `select {text:String} as text, {list:Array(String)} as list, {map:Map(String, UInt8)} as map,
        {none:Nullable(Int8)} as none, {at:DateTime64(3, 'UTC')} as at, id from {table:Identifier} where id = 1`,
      { text: "a'b\\c\td", list: ["x'", 'y\\'], map: { k: 1 }, none: null, at, table: 'bytes' },
    )
    expect(found).toEqual([
      {
        text: "a'b\\c\td",
        list: ["x'", 'y\\'],
        map: { k: 1 },
        none: null,
        at: at.toISOString(),
        id: 1,
      },
    ])
  })

  test('for parameters too long for a URL, sent as a form', async () => {
    const list = Array.from({ length: 5_000 }, (_, index) => `value ${index}`)
    const long = createClient({ url: database.url, use_multipart_params: true })
    const result = await long.query({
      query: 'select length({list:Array(String)}) as length',
      query_params: { list },
      format: 'JSONEachRow',
    })
    expect(await result.json()).toEqual([{ length: list.length }])
    await long.close()
  })

  test('for compressed requests and responses', async () => {
    const packed = createClient({
      url: database.url,
      compression: { request: true, response: true },
    })
    const values = Array.from({ length: 1_000 }, (_, index) => ({ id: 1_000 + index, text: 'x' }))
    await packed.insert({ table: 'bytes', values, format: 'JSONEachRow' })
    const result = await packed.query({
      query: 'select count() as count from bytes where id >= 1000',
      format: 'JSONEachRow',
    })
    expect(result.response_headers['content-encoding']).toBe('gzip')
    expect(await result.json()).toEqual([{ count: 1000 }])
    await packed.close()
  })

  test('and accepts an insert without rows', async () => {
    const response = await post({ query: 'insert into bytes format JSONEachRow' })
    expect(response.status).toBe(200)
  })
})

describe('the facade reports the errors of ClickHouse for', () => {
  test.each([
    ['select * from nowhere', '60', 'UNKNOWN_TABLE'],
    ['select nothing', '47', 'UNKNOWN_IDENTIFIER'],
    ['selec 1', '62', 'SYNTAX_ERROR'],
    ['select 1; select 2', '62', 'SYNTAX_ERROR'],
    ["select toUInt8('x')", '6', 'CANNOT_PARSE_TEXT'],
    ['select {missing:UInt8}', '456', 'UNKNOWN_QUERY_PARAMETER'],
  ])('%s', async (query, code, type) => {
    await expect(client.query({ query })).rejects.toMatchObject({ code, type })
  })

  test('a batch with one bad row, of which it stores nothing', async () => {
    const values = [
      { id: 700, text: 'good' },
      { id: 'bad', text: '' },
    ]
    const insert = client.insert({ table: 'bytes', values, format: 'JSONEachRow' })
    await expect(insert).rejects.toMatchObject({ type: 'CANNOT_PARSE_INPUT_ASSERTION_FAILED' })
    expect(await rows('select id from bytes where id = 700')).toEqual([])
  })

  test('an unknown setting, database or path', async () => {
    expect((await post({ query: 'select 1', no_such_setting: '1' })).status).toBe(404)
    const nowhere = await post({ query: 'select 1', database: 'no`; drop' })
    expect(nowhere.headers.get('x-clickhouse-exception-code')).toBe('81')
    expect((await post({}, { path: '/replicas_status' })).status).toBe(404)
  })

  test('a body that decompresses beyond the bound, and one that cannot be decompressed', async () => {
    const query = { query: 'insert into bytes format CSV' }
    const headers = { 'content-encoding': 'gzip' }
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024 + 1))
    const refused = await post(query, { body: new Uint8Array(bomb), headers })
    expect([refused.status, refused.headers.get('x-clickhouse-exception-code')]).toEqual([413, '307'])
    const broken = await post(query, { body: 'no gzip', headers })
    expect(broken.headers.get('x-clickhouse-exception-code')).toBe('354')
  })
})

describe('concurrent requests are independent', () => {
  test('a setting ends with its request, so an insert without a token is never a duplicate', async () => {
    await client.command({
      query: `create table tokens (id Int32) engine = MergeTree order by id
        settings non_replicated_deduplication_window = 100`,
    })
    const insert = (id: number, settings = {}) =>
      client.insert({
        table: 'tokens',
        values: [{ id }],
        format: 'JSONEachRow',
        clickhouse_settings: settings,
      })
    await insert(1, { insert_deduplication_token: 'one', max_threads: 1 })
    await insert(2)
    await insert(3)
    await insert(4, { insert_deduplication_token: 'one' })
    expect(await rows('select id from tokens order by id')).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }])
    const setting = await rows(`select value from system.settings where name = 'insert_deduplication_token'`)
    expect(setting).toEqual([{ value: '' }])
  })

  test('a repeated batch is stored once, also in the targets of its views', async () => {
    for (const query of [
      `create table raw (id Int32) engine = MergeTree order by id
        settings non_replicated_deduplication_window = 100`,
      `create table sums (id Int32, count UInt64) engine = SummingMergeTree order by id
        settings non_replicated_deduplication_window = 100`,
      'create materialized view sums_view to sums as select id % 2 as id, count() as count from raw group by id',
    ]) {
      await client.command({ query })
    }
    for (const token of ['a', 'a', 'b', 'a']) {
      await client.insert({
        table: 'raw',
        values: [{ id: 1 }, { id: 3 }],
        format: 'JSONEachRow',
        clickhouse_settings: {
          insert_deduplication_token: token,
          deduplicate_blocks_in_dependent_materialized_views: 1,
        },
      })
    }
    expect(await rows('select count() as count from raw')).toEqual([{ count: 4 }])
    expect(await rows('select sum(count) as count from sums')).toEqual([{ count: 4 }])
  })

  test('concurrent statements keep their own parameters', async () => {
    const ask = async (index: number) => {
      const [row] = await rows('select {own:UInt32} as own, sleep(0.01) as slept', { own: index })
      return row
    }
    const found = await Promise.all(Array.from({ length: 64 }, (_, index) => ask(index)))
    expect(found).toEqual(found.map((_, own) => ({ own, slept: 0 })))
  })

  test('a light query is answered while heavy ones run', async () => {
    const order: string[] = []
    const heavy = Array.from({ length: 3 }, () => rows('select sleep(3)').then(() => order.push('heavy')))
    await rows('select 1').then(() => order.push('light'))
    await Promise.all(heavy)
    expect(order).toEqual(['light', 'heavy', 'heavy', 'heavy'])
  })
})
