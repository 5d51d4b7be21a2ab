type Environment = Readonly<Record<string, string | undefined>>

/** Terraform's, to every plugin: it says that nobody started it by hand, and is no secret. */
const cookie = 'd602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2'
export const protocolVersion = '6'

/** How a process was started: by Terraform that speaks our protocol, or else what to tell whom. */
type Invitation =
  | {
      invited: true
      /** Terraform's certificate in PEM; null: it asks for plain text. */ client: string | null
    }
  | { invited: false; by: 'a person' | 'another version'; message: string }

export const readInvitation = (env: Environment, name: string): Invitation => {
  if (env['TF_PLUGIN_MAGIC_COOKIE'] !== cookie) {
    return {
      invited: false,
      by: 'a person',
      message:
        `${name} is a provider for Terraform 1.5 or newer, which starts it by itself.\n` +
        'To try one that was built here, name its folder under `dev_overrides` in the file that\n' +
        'TF_CLI_CONFIG_FILE points to, and run `terraform plan`.\n',
    }
  }
  const versions = (env['PLUGIN_PROTOCOL_VERSIONS'] ?? '').split(',').map((one) => one.trim())
  if (!versions.includes(protocolVersion)) {
    return {
      invited: false,
      by: 'another version',
      message: `${name} needs Terraform 1.5 or newer: it speaks version ${protocolVersion} of the plugin protocol\n`,
    }
  }
  return { invited: true, client: env['PLUGIN_CLIENT_CERT'] || null }
}

export type Address = { network: 'unix' | 'tcp'; address: string }

/** The one line that Terraform reads on stdout. @param certificate in DER; null: in plain text */
export const handshakeLine = (at: Address, certificate: Uint8Array | null): string => {
  const fields = ['1', protocolVersion, at.network, at.address, 'grpc']
  if (certificate !== null) {
    fields.push(Buffer.from(certificate).toString('base64').replaceAll('=', ''))
  }
  return `${fields.join('|')}\n`
}
