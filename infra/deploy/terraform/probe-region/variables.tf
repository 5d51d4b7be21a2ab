variable "region" {
  description = "The code of the mesh's region, which is not the provider's: three lower-case letters"
  type        = string
  validation {
    condition     = can(regex("^[a-z]{3}$", var.region))
    error_message = "A region is three lower-case letters, such as fra."
  }
}

variable "agents" {
  description = "The names of its agents, as they were enrolled: a machine each"
  type        = list(string)
  validation {
    condition     = length(var.agents) > 0 && length(var.agents) <= 32 && length(distinct(var.agents)) == length(var.agents)
    error_message = "A region has 1 to 32 agents, each of another name."
  }
  validation {
    condition     = alltrue([for name in var.agents : can(regex("^[a-z0-9][a-z0-9-]{0,62}$", name))])
    error_message = "A name is lower-case letters, digits and hyphens."
  }
}

variable "credentials" {
  description = "What each machine is let in by, by the agent's name: files as text. Kept in Secrets Manager and nowhere else"
  type = map(object({
    agent_creds   = string
    leaf_creds    = string
    nats_conf     = string
    accounts_conf = string
    ca_pem        = string
  }))
  sensitive = true
  ephemeral = true
}

variable "credentials_version" {
  description = "Raised whenever credentials are others: what is not in the state cannot be compared"
  type        = number
  default     = 1
}

variable "vpc_id" {
  description = "Where the machines stand"
  type        = string
}

variable "subnet_ids" {
  description = "Subnets with a way to the internet; agents are spread over them, so name those of several zones"
  type        = list(string)
  validation {
    condition     = length(var.subnet_ids) > 0
    error_message = "At least one subnet is needed."
  }
}

variable "machine_image" {
  description = "An image with Docker and the AWS command line"
  type        = string
  validation {
    condition     = can(regex("^ami-", var.machine_image))
    error_message = "An image is named by its id: ami-..."
  }
}

variable "agent_image" {
  description = "The agent's container, pinned by its digest"
  type        = string
  validation {
    condition     = can(regex("@sha256:[0-9a-f]{64}$", var.agent_image))
    error_message = "Pin the image by its digest: name:tag@sha256:..."
  }
}

variable "nats_image" {
  description = "The leaf node's container, pinned by its digest"
  type        = string
  validation {
    condition     = can(regex("@sha256:[0-9a-f]{64}$", var.nats_image))
    error_message = "Pin the image by its digest: name:tag@sha256:..."
  }
}

variable "instance_type" {
  type    = string
  default = "t3.small"
}

variable "spool_gib" {
  description = "The disk of an agent's spool, GiB: it outlives the machine"
  type        = number
  default     = 8
}

variable "canaries" {
  description = "host:port,... that are reached while a machine's own network works; none: as the agent has them"
  type        = string
  default     = ""
}

variable "public_addresses" {
  description = "Whether each machine has an address of its own that stays, for those who allow by address"
  type        = bool
  default     = true
}

variable "tags" {
  type    = map(string)
  default = {}
}
