import { expect, test } from 'vitest'
import { detectSource } from './detect-source.ts'

const detect = (name: string, text: string): string => {
  const detected = detectSource(name, Buffer.from(text))
  return detected.ok ? detected.kind : detected.message
}

test.each([
  ['kuma.db', 'SQLite format 3\u0000\u0010\u0000', 'uptime-kuma-database'],
  ['backup.json', '{"version":"1.23.0","notificationList":[],"monitorList":[]}', 'uptime-kuma'],
  ['backup.json', '\ufeff \n{ "monitorList" : []}', 'uptime-kuma'],
  ['config.yaml', 'alerting: {}\r\nendpoints:\r\n  - name: a', 'gatus'],
  ['config.yaml', 'external-endpoints:\n  - name: a', 'gatus'],
  ['config.json', '{"endpoints":[]}', 'gatus'],
  ['.upptimerc.yml', 'owner: a\nsites:\n  - name: a', 'upptime'],
  ['.upptimerc.yml', 'sites: []\nendpoints: []', 'upptime'],
])('detects %s with %j as %s', (name, text, kind) => {
  expect(detect(name, text)).toBe(kind)
})

test.each([
  ['a.yaml', 'sites: []\nendpoints: []', 'the file has endpoints and sites'],
  ['a.yaml', 'version: 1\nchecks: []', 'the file is already a file of checks'],
  ['a.json', '{"version":1,"checks":[]}', 'the file is already a file of checks'],
  ['a.yaml', 'a:\n  endpoints: []', 'the file format is unknown: expected a database'],
  ['a.json', '{"monitors":[]}', 'the JSON format is unknown: expected a database'],
  ['.upptimerc.yml', '', 'the file is empty: expected a database'],
  ['kuma.db', 'SQLite format 4\u0000', 'the file format is unknown: expected a database'],
])('%s with %j is refused', (name, text, message) => {
  expect(detect(name, text)).toContain(message)
})
