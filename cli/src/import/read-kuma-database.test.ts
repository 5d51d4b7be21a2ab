import { chmod, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { beforeEach, describe, expect, test } from 'vitest'
import { readKumaDatabase } from './read-kuma-database.ts'
import { describeImport } from './testing.ts'

let folder = ''
let path = ''
beforeEach(() => {
  folder = testFolder('kuma-')
  path = join(folder, 'kuma.db')
})

/** Columns that every version has, and those of a version. */
const monitorTable = (own: string) => `create table monitor (
  id integer primary key autoincrement, name varchar(150), active boolean not null default 1,
  user_id integer, interval integer not null default 20, url text, type varchar(20),
  weight integer default 2000, hostname varchar(255), port integer, created_date datetime,
  keyword varchar(255), maxretries integer not null default 0, ignore_tls boolean not null default 0,
  upside_down boolean not null default 0, maxredirects integer not null default 10,
  accepted_statuscodes_json text not null default '["200-299"]', method text not null default 'GET',
  body text, headers text, basic_auth_user text, basic_auth_pass text ${own})`
const others = `
  create table heartbeat (id integer primary key, monitor_id integer, msg text);
  create table tag (id integer primary key, name text);
  create table monitor_tag (id integer primary key, monitor_id integer, tag_id integer);
  create table notification (id integer primary key, config text);
  create table status_page (id integer primary key);
  create table maintenance (id integer primary key);`
const version1 = `, auth_method varchar(250), expiry_notification boolean default 1, parent integer,
  invert_keyword boolean not null default 0, json_path text, expected_value varchar(255),
  proxy_id integer, description text`
const version2 = `${version1}, json_path_operator varchar(255), cache_bust boolean not null default 0,
  ip_family varchar(4), domain_expiry_notification boolean default 0, conditions text default '[]'`

const create = (sql: string, keepOpen = false): DatabaseSync => {
  const database = new DatabaseSync(path)
  database.exec(sql)
  if (!keepOpen) database.close()
  return database
}

const imported = async (): Promise<string[]> => {
  const read = await readKumaDatabase(path)
  return read.ok ? describeImport({ kind: 'uptime-kuma-rows', rows: read.rows }) : [`! ${read.message}`]
}

test.each([
  ['1', version1],
  ['2', version2],
])('converts the database of version %s', async (_, own) => {
  create(`${monitorTable(own)}; ${others}
    insert into monitor (name, type, url, interval, expiry_notification) values
      ('Shop', 'http', 'https://shop.example.com', 60, 0);
    insert into monitor (name, type, url, interval, keyword, invert_keyword, maxredirects,
      accepted_statuscodes_json, expiry_notification) values
      ('Health', 'keyword', 'https://api.example.com', 60, 'error', 1, 20, '["200"]', 0);
    insert into monitor (name, type, hostname, port) values ('Mail', 'port', 'mail', 25);
    insert into monitor (name, type, url, interval, active) values
      ('Old', 'http', 'https://old.example.com', 60, 0);
    insert into monitor (id, name, type, active) values (10, 'Group', 'group', 0);
    insert into monitor (name, type, url, interval, parent) values
      ('Inside', 'http', 'https://in.example.com', 60, 10);
    insert into tag values (1, 'prod');
    insert into monitor_tag values (1, 1, 1), (2, 1, 1);
    insert into notification values (1, '{}');
    insert into status_page values (1), (2);`)
  expect(await imported()).toStrictEqual([
    '+ Shop https://shop.example.com {"intervalSeconds":60}',
    '+ Health https://api.example.com {"intervalSeconds":60,"assertionStatusMin":200,' +
      '"assertionStatusMax":200,"assertionBodyOp":"not_contains","assertionBodyValue":"error",' +
      '"assertionBodyCaseSensitive":true}',
    '? : notification: is not imported: files contain checks only (1 notification)',
    '? : status_page: is not imported: files contain checks only (2 status pages)',
    '? : tags: is not imported (1 monitor)',
    '? : parent: is not imported (1 monitor)',
    '? : timeout: an attempt may take 10 seconds here, or 40 % of an interval under 25 seconds (2 checks)',
    '? : maxredirects: up to 20 redirects are followed here, not 10 (1 check)',
    '? : body: the first 256 KB of a body are read here (1 check)',
    '- Mail: type: files support http checks only; create it in the dashboard as a tcp check',
    '- Old: active: is paused: files contain running checks only',
    '- Group: type: groups of checks are not supported; a status page can order its components',
    '- Inside: active: is paused: files contain running checks only',
  ])
})

test('reads the write-ahead log while it is being written', async () => {
  const writer = create(
    `pragma journal_mode = wal; pragma wal_autocheckpoint = 0;
    ${monitorTable('')}`,
    true,
  )
  try {
    writer.exec(
      "insert into monitor (name, type, url, interval) values ('a', 'http', 'https://a.example.org', 60)",
    )
    writer.exec("begin immediate; insert into monitor (name, type) values ('not yet', 'http')")
    expect(await imported()).toContain('+ a https://a.example.org {"intervalSeconds":60}')
    expect((await imported()).join()).not.toContain('not yet')
  } finally {
    writer.close()
  }
})

test('never reads the heartbeat table', async () => {
  create(`${monitorTable('')}; create view heartbeat as select msg from missing;
    insert into monitor (name, type, url, interval) values ('a', 'http', 'https://a.example.org', 60);`)
  expect(await imported()).toContain('+ a https://a.example.org {"intervalSeconds":60}')
})

test('groups that contain each other terminate', async () => {
  create(`${monitorTable(', parent integer')};
    insert into monitor (id, name, type, url, interval, parent) values
      (1, 'a', 'http', 'https://a.example.org', 60, 2), (2, 'b', 'group', null, 60, 3), (3, 'c', 'group', null, 60, 2);`)
  expect(await imported()).toContain('+ a https://a.example.org {"intervalSeconds":60}')
})

describe('refused is', () => {
  const text = `insert into monitor (name, type, url) values`
  test.each<[string, () => Promise<unknown> | void, string]>([
    ['no file', () => undefined, 'cannot be opened: ENOENT'],
    ['a folder', async () => rm(path, { force: true }).then(() => symlink(folder, path)), 'is not a file'],
    ['an empty file', () => writeFile(path, ''), 'is not a SQLite database'],
    ['a text', () => writeFile(path, '{"monitorList":[]}'), 'is not a SQLite database'],
    ['a header alone', () => writeFile(path, 'SQLite format 3\u0000'), 'the database cannot be read'],
    [
      'noise after a header',
      () => writeFile(path, Buffer.concat([Buffer.from('SQLite format 3\u0000'), Buffer.alloc(8_192, 7)])),
      'the database cannot be read',
    ],
    [
      'another database',
      () => void create('create table monitor (id integer, name text)'),
      'is not a database of Uptime Kuma',
    ],
    [
      'a database without tables',
      () => void create('create table a (b); drop table a'),
      'is not a database of Uptime Kuma',
    ],
    [
      'a number that is none of JavaScript',
      () =>
        void create(
          `${monitorTable('')}; insert into monitor (name, type, interval) values ('a', 'http', 9223372036854775807)`,
        ),
      'the database cannot be read',
    ],
    [
      'bytes for a text',
      () => void create(`${monitorTable('')}; ${text} ('a', 'http', x'00ff')`),
      'monitor 1.url: must be text',
    ],
    [
      'text for a number',
      () =>
        void create(
          `${monitorTable('')}; insert into monitor (name, type, interval) values ('a', 'http', 'often')`,
        ),
      'monitor 1.interval: must be a number',
    ],
    [
      'a list of statuses that is no JSON',
      () =>
        void create(
          `${monitorTable('')}; insert into monitor (name, type, accepted_statuscodes_json) values ('a', 'http', '[')`,
        ),
      'monitor 1.accepted_statuscodes: must be a list of statuses',
    ],
  ])('%s', async (_, prepare, message) => {
    await prepare()
    expect(await imported()).toStrictEqual([expect.stringContaining(`! ${message}`)])
  })

  test('a file without read permission', async () => {
    create(monitorTable(''))
    await chmod(path, 0)
    const [line] = await imported()
    if (process.getuid?.() !== 0) expect(line).toContain('! cannot be opened: EACCES')
  })

  test('any database on a Node without SQLite', async () => {
    create(monitorTable(''))
    const read = await readKumaDatabase(path, () => Promise.reject(new Error('No such module')))
    expect(read).toStrictEqual({
      ok: false,
      message: 'reading a database needs Node 22.13 or newer; or import the backup (JSON) of Uptime Kuma 1',
    })
  })
})

test('cuts an endless text before it is read', async () => {
  create(`${monitorTable('')}; insert into monitor (name, type, url, interval, keyword) values
    ('a', 'keyword', 'https://a.example.org', 60, printf('%.*c', 5000000, 'x'))`)
  const read = await readKumaDatabase(path)
  expect(read.ok && String(read.rows.monitors[0]?.keyword).length).toBe(20_000)
  expect(await imported()).toContain('- a: keyword: the text is longer than 1000 characters')
})
