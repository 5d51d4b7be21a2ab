/**
 * At least one wrong input for every rule of a check. Rules of the first table need no account: `validate` knows them.
 * Rules of the second are decided by plan, operator and account: the API knows them.
 */

/** A check of a file, as JSON, besides its name. */
type Fields = Readonly<Record<string, unknown>>

export const good: Fields = { url: 'https://good.example.com/' }
const text = (length: number): string => 'x'.repeat(length)
const [agentA, agentB] = ['1', '2'].map((digit) => `private-0190c2a4-7d3e-7b6f-8a11-2b3c4d5e6f7${digit}`)
const url = (value: unknown): Fields => ({ url: value })
const body = { assertionBodyOp: 'contains', assertionBodyValue: 'ok' }
const json = { assertionJsonPath: 'a.b', assertionJsonOp: 'equals', assertionJsonValue: '1' }

/** By the rules of `judgeCheck`. */
export const offlineInputs: Readonly<Record<string, Fields>> = {
  unknown: { retries: 3 },
  storable: { ...body, assertionBodyValue: 'a\u0000b' },
  'name.type': { name: 7 },
  name_blank: { name: ' ' },
  'name.max': { name: text(201) },
  'url.type': url(undefined),
  'url.min': url(''),
  'url.max': url(`https://good.example.com/${text(2_048)}`),
  url_characters: url('https://good.example.com/new page'),
  url_scheme: url('ftp://good.example.com/'),
  url_invalid: url('https://'),
  url_credentials: url('https://me:secret@good.example.com/'),
  url_port: url('https://good.example.com:22/'),
  host_name: url(`https://${text(64)}.example.com/`),
  host_single_label: url('https://wiki/'),
  host_internal: url('https://wiki.internal/'),
  'intervalSeconds.type': { intervalSeconds: 1.5 },
  'intervalSeconds.min': { intervalSeconds: 0 },
  'intervalSeconds.max': { intervalSeconds: 86_401 },
  'regions.type': { regions: 'fra' },
  'regions.min': { regions: [] },
  'regions.max': { regions: [...'abcdefghijk'].map((letter) => `ab${letter}`) },
  'regions[].type': { regions: [7] },
  'regions[].pattern': { regions: ['Fra'] },
  regions_twice: { regions: ['fra', 'fra'] },
  regions_mixed: { regions: [agentA, agentB] },
  'assertionStatusMin.type': { assertionStatusMin: '200' },
  'assertionStatusMin.min': { assertionStatusMin: 99 },
  'assertionStatusMin.max': { assertionStatusMin: 600 },
  'assertionStatusMax.type': { assertionStatusMax: '200' },
  'assertionStatusMax.min': { assertionStatusMax: 99 },
  'assertionStatusMax.max': { assertionStatusMax: 600 },
  status_order: { assertionStatusMin: 300, assertionStatusMax: 200 },
  'assertionBodyOp.values': { ...body, assertionBodyOp: 'matches' },
  'assertionBodyValue.type': { ...body, assertionBodyValue: 7 },
  'assertionBodyValue.min': { ...body, assertionBodyValue: '' },
  'assertionBodyValue.max': { ...body, assertionBodyValue: text(1_001) },
  'assertionBodyCaseSensitive.type': { ...body, assertionBodyCaseSensitive: 'yes' },
  body_value_missing: { assertionBodyOp: 'contains' },
  body_op_missing: { assertionBodyValue: 'ok' },
  body_op_for_case: { assertionBodyCaseSensitive: true },
  'assertionJsonPath.type': { ...json, assertionJsonPath: 7 },
  'assertionJsonPath.min': { ...json, assertionJsonPath: '' },
  'assertionJsonPath.max': { ...json, assertionJsonPath: text(501) },
  json_path_grammar: { ...json, assertionJsonPath: 'a[*]' },
  'assertionJsonOp.values': { ...json, assertionJsonOp: 'matches' },
  'assertionJsonValue.type': { ...json, assertionJsonValue: [] },
  json_op_missing: { assertionJsonPath: 'a' },
  json_path_missing: { assertionJsonOp: 'exists' },
  json_value_with_exists: { ...json, assertionJsonOp: 'exists' },
  json_value_missing: { ...json, assertionJsonValue: null },
}

/** By what decides: the code, and the word in the message that tells two of one code apart. */
export const accountInputs: Readonly<Record<string, Fields>> = {
  'SV-2001 not a live region': { regions: ['fra', 'xyz'] },
  'SV-3001 no such agent': { regions: [agentA] },
  'SV-4001 limit of': url('https://third.example.org/'),
  'SV-4002 plan allows': { intervalSeconds: 59 },
  'SV-5001 address is not public': url('http://10.0.0.1/'),
  'SV-5001 localhost': url('http://localhost/'),
  'SV-5001 not to be probed': url('https://denied.example.org/'),
  'SV-5001 requests a minute': { ...url('https://busy.example.org/'), intervalSeconds: 60 },
}
