import { randomBytes } from 'node:crypto'

/** A text that stands nowhere by chance, and says what it is where it is found. */
const secret = (what: string): string => `${what}-${randomBytes(12).toString('hex')}`

/**
 * What is planted wherever a secret is taken. `inClear` are those that a store has to keep as they
 * are, since agents send them: they may stand in no log, and in no answer but the owner's own.
 */
export const plantSecrets = () => ({
  operator: {
    secretsKey: secret('the-secrets-key-of-the-operator'),
    gatewayKey: secret('the-key-of-the-gateways-of-a-test'),
    smtpPassword: secret('smtp-password'),
  },
  account: {
    password: secret('password'),
    wrongPassword: secret('wrong-password'),
    wrongKey: `sv_rw_${randomBytes(24).toString('hex')}`,
    discord: secret('discord'),
    teams: secret('teams'),
    opsgenie: secret('opsgenie'),
    jsonUrl: secret('json-url'),
    signature: secret('signature'),
  },
  inClear: {
    stepBody: secret('step-body'),
    checkQuery: secret('check-query'),
  },
})
export type Planted = ReturnType<typeof plantSecrets>
