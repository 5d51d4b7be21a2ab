import { z } from 'zod'
import { Uuid } from '../schema/ids.ts'
import { read, write, type Route } from '../schema/route.ts'
import { Secret, SecretName, secretCharactersMax, secretCharactersMin } from './secret.ts'
import { SecretHosts } from './secret-hosts-input.ts'

/** Write-only: no answer has it. */
const SecretValue = z
  .string()
  .min(
    secretCharactersMin,
    `must have at least ${secretCharactersMin} characters, so that answers can be masked`,
  )
  .max(secretCharactersMax)
  .refine((text) => text.trim() !== '', 'must not be blank')
  .refine((text) => !text.includes('\u0000'), 'must not have NUL characters')

/** Ids of private agents that may open it: no agent beyond them may. */
const SecretAgents = z.array(Uuid).max(100)

export const CreateSecretInput = z.strictObject({
  name: SecretName,
  value: SecretValue,
  hosts: SecretHosts,
  agents: SecretAgents.default([]),
})
export type CreateSecretInput = z.infer<typeof CreateSecretInput>

/** What is absent stays. */
export const UpdateSecretInput = z
  .strictObject({
    value: SecretValue.optional(),
    hosts: SecretHosts.optional(),
    agents: SecretAgents.optional(),
  })
  .refine((input) => Object.keys(input).length > 0, 'must have a value, hosts or agents')
export type UpdateSecretInput = z.infer<typeof UpdateSecretInput>

const params = z.object({ id: Uuid })

/** Secrets of the account, for the dashboard. */
export const secretRoutes = {
  listSecrets: read({
    path: '/secrets',
    summary:
      'The secrets of the account by name, with their hosts, the private agents that may open them, and the checks that use them, without values',
    output: z.object({ secrets: z.array(Secret) }),
  }),
  createSecret: write({
    method: 'POST',
    path: '/secrets',
    summary: 'Store a secret, which checks name as {{ secret.name }} and which is sent to its hosts only',
    success: 201,
    body: CreateSecretInput,
    secretFields: ['value'],
    output: Secret,
    codes: ['SV-3002'],
  }),
  updateSecret: write({
    method: 'PATCH',
    path: '/secrets/:id',
    summary:
      'Replace the value, the hosts or the private agents of a secret; the checks that use it take it at once',
    params,
    body: UpdateSecretInput,
    secretFields: ['value'],
    output: Secret,
    codes: ['SV-3002'],
  }),
  deleteSecret: write({
    method: 'DELETE',
    path: '/secrets/:id',
    summary: 'Delete a secret that no check uses',
    params,
    output: z.object({ id: z.string(), deleted: z.literal(true) }),
    codes: ['SV-3002'],
  }),
} as const satisfies Record<string, Route>
