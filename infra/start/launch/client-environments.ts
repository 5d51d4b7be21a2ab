import { apiUrlDefault } from '@probe-mesh/cli/api/settings'
import { logLevel } from '@probe-mesh/runtime/log-level'
import { optional, text, url, wholeNumber, withDefault } from '@probe-mesh/runtime/setting'
import { apiUrlDefault as providerUrlDefault } from '@probe-mesh/terraform/provider'

/** Variables of programs that read them next to an option of the same meaning, for the reference. */

/** What the command line reads; options win over variables. */
export const cliEnvironment = {
  SERVICE_API_URL: withDefault(
    url('http', 'https'),
    apiUrlDefault,
    'Root of the REST API, unless `--api-url` names it.',
  ),
  SERVICE_API_KEY: optional(
    text,
    'required by most commands',
    'API key, unless `--api-key` is given.',
    {
      isSecret: true,
    },
  ),
  NO_COLOR: optional(text, 'colours on a terminal', 'Any value: no colours.'),
  INK_SCREEN_READER: optional(
    text,
    'off',
    '`true`: `service top` writes lines for a screen reader.',
  ),
}

/** What the Terraform provider reads; arguments of its block win over variables. */
export const providerEnvironment = {
  SERVICE_API_URL: withDefault(
    url('http', 'https'),
    providerUrlDefault,
    'Root of the REST API, unless `base_url` names it.',
  ),
  SERVICE_API_KEY: optional(text, 'required', 'API key, unless `api_key` is set.', {
    isSecret: true,
  }),
  TF_LOG_PROVIDER: optional(text, '`TF_LOG`, otherwise error', 'Lowest level that is logged.'),
}

const count = wholeNumber({ min: 1, max: 1e9 })

/** What tests read. */
export const developmentEnvironment = {
  MESH_LOG: optional(logLevel, 'silent or error', 'Lowest level that the systems of tests log.'),
  FUZZ_ATTACKS: optional(
    count,
    'few; 100000 where the tests are named',
    'Number of inputs that `acceptance/fuzz` tries.',
  ),
  JUDGED_WORLDS: optional(
    count,
    '100; 2000 where the tests are named',
    'Number of worlds that `acceptance/judge` judges.',
  ),
}
