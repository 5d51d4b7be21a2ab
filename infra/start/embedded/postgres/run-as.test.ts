import { describe, expect, test } from 'vitest'
import { decideRunAs, explainRunAs, pickAccount } from './run-as.ts'

const account = { uid: 70, gid: 71 }

describe('Postgres never runs as root', () => {
  test('any other user runs it without a change', () => {
    const runAs = decideRunAs({ uid: 1000, account, userNamespaces: true })
    expect(runAs).toEqual({ prefix: [], identity: {}, owner: null })
  })

  test('root runs it in a user namespace and keeps the files', () => {
    const runAs = decideRunAs({ uid: 0, account, userNamespaces: true })
    expect(runAs.prefix).toEqual(['unshare', '-U', '--map-user=70', '--map-group=71'])
    expect(runAs).toMatchObject({ identity: {}, owner: { uid: 0, gid: 0 } })
    expect(explainRunAs(runAs)).toBe('')
  })

  test('root without user namespaces runs it as the account, which then owns the files', () => {
    const runAs = decideRunAs({ uid: 0, account, userNamespaces: false })
    expect(runAs).toEqual({ prefix: [], identity: account, owner: account })
    expect(explainRunAs(runAs)).toContain('uid 70')
  })

  test('root on a system without another account gets an error that says what to do', () => {
    const facts = { uid: 0, account: null, userNamespaces: true }
    expect(() => decideRunAs(facts)).toThrow(/run as another user, or set DATABASE_URL/)
  })
})

test.each([
  ['"postgres" before "nobody"', 'root:x:0:0\nnobody:x:65534:65534:n\npostgres:x:70:71:p:/:/bin/sh', account],
  ['"nobody" before others', 'root:x:0:0:\nbin:x:2:2:b\nnobody:x:65534:65533:n', { uid: 65534, gid: 65533 }],
  ['the first that is not root', 'root:x:0:0:\ntoor:x:0:0:\nbin:x:2:3:b', { uid: 2, gid: 3 }],
  ['none if only root exists', 'root:x:0:0:root:/root:/bin/sh\n', null],
  ['no file', '', null],
])('picks as the account %s', (_, passwd, expected) => {
  expect(pickAccount(passwd)).toEqual(expected)
})
