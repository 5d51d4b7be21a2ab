import { flag, text } from './command-spec.ts'

/** Of every command. */
export const common = {
  json: flag('--json', 'print JSON, for programs'),
  noColor: flag('--no-color', 'no colours; NO_COLOR does the same'),
}

/** Of commands that call the API. */
export const calling = {
  ...common,
  apiUrl: text(
    '--api-url <url>',
    'root of the API (SERVICE_API_URL, else http://127.0.0.1:8080/v1)',
  ),
}

/** Of commands that need a key. */
export const keyed = {
  ...calling,
  apiKey: text(
    '--api-key <key>',
    'the API key, or - to read it from standard input (SERVICE_API_KEY; others on this machine can see what is written here)',
  ),
}

export type Common = { json: boolean; noColor: boolean }
export type Calling = Common & { apiUrl: string | undefined }
export type Keyed = Calling & { apiKey: string | undefined }
