type Environment = Readonly<Record<string, string | undefined>>

/** Terraform gives every plugin this value, which shows that no person started it. It is not a secret. */
const cookie = 'd602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2'
export const protocolVersion = '6'

/** How the process was started: by a Terraform with our protocol, or else the message to print. */
type Invitation =
  | {
      invited: true
      /** Terraform's certificate in PEM; null: plain text. */ client: string | null
    }
  | { invited: false; by: 'a person' | 'another version'; message: string }

export const readInvitation = (env: Environment, name: string): Invitation => {
  if (env['TF_PLUGIN_MAGIC_COOKIE'] !== cookie) {
    return {
      invited: false,
      by: 'a person',
      message:
        `${name} is a provider for Terraform 1.5 or newer. Terraform starts it.\n` +
        'To try your own build, name its folder under `dev_overrides` in the file that\n' +
        'TF_CLI_CONFIG_FILE points to, and run `terraform plan`.\n',
    }
  }
  const versions = (env['PLUGIN_PROTOCOL_VERSIONS'] ?? '').split(',').map((one) => one.trim())
  if (!versions.includes(protocolVersion)) {
    return {
      invited: false,
      by: 'another version',
      message: `${name} needs Terraform 1.5 or newer, with version ${protocolVersion} of the plugin protocol\n`,
    }
  }
  return { invited: true, client: env['PLUGIN_CLIENT_CERT'] || null }
}

export type Address = { network: 'unix' | 'tcp'; address: string }

/** The line that Terraform reads on stdout. @param certificate in DER; null: plain text */
export const handshakeLine = (at: Address, certificate: Uint8Array | null): string => {
  const fields = ['1', protocolVersion, at.network, at.address, 'grpc']
  if (certificate !== null) {
    fields.push(Buffer.from(certificate).toString('base64').replaceAll('=', ''))
  }
  return `${fields.join('|')}\n`
}
