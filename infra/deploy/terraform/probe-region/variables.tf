variable "region" {
  description = "The code of the mesh's region, not of the provider's: three lower-case letters"
  type        = string
  validation {
    condition     = can(regex("^[a-z]{3}$", var.region))
    error_message = "Set a region of three lower-case letters, such as fra."
  }
}

variable "agents" {
  description = "The names of the enrolled agents, one per machine"
  type        = list(string)
  validation {
    condition     = length(var.agents) > 0 && length(var.agents) <= 32 && length(distinct(var.agents)) == length(var.agents)
    error_message = "Set 1 to 32 agents with different names."
  }
  validation {
    condition     = alltrue([for name in var.agents : can(regex("^[a-z0-9][a-z0-9-]{0,62}$", name))])
    error_message = "Use lower-case letters, digits and hyphens in names."
  }
}

variable "credentials" {
  description = "The credentials of each machine, by agent name: files as text. Stored only in Secrets Manager"
  type = map(object({
    agent_creds   = string
    leaf_creds    = string
    nats_conf     = string
    accounts_conf = string
    ca_pem        = string
    # REGION_KEY; empty: checks with secrets are not measured here
    region_key = optional(string, "")
    # METRICS_TOKEN; empty: nobody outside of the machine can read the agent's metrics
    metrics_token = optional(string, "")
  }))
  sensitive = true
  ephemeral = true
}

variable "credentials_version" {
  description = "Increase it when credentials change, because Terraform cannot compare values outside its state"
  type        = number
  default     = 1
}

variable "vpc_id" {
  description = "The network of the machines"
  type        = string
}

variable "subnet_ids" {
  description = "Subnets with access to the internet, in several zones: agents are spread over them"
  type        = list(string)
  validation {
    condition     = length(var.subnet_ids) > 0
    error_message = "Set at least one subnet."
  }
}

variable "metrics_security_group_ids" {
  description = "The security groups of Prometheus, which may reach port 9464 to read /metrics with metrics_token"
  type        = list(string)
  default     = []
}

variable "machine_image" {
  description = "An image with Docker and the AWS command line"
  type        = string
  validation {
    condition     = can(regex("^ami-", var.machine_image))
    error_message = "Set the id of an image: ami-..."
  }
}

variable "agent_image" {
  description = "The agent's image, pinned by its digest"
  type        = string
  validation {
    condition     = can(regex("@sha256:[0-9a-f]{64}$", var.agent_image))
    error_message = "Pin the image by its digest: name:tag@sha256:..."
  }
}

variable "nats_image" {
  description = "The leaf node's image, pinned by its digest"
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
  description = "The size of the disk for an agent's spool, GiB. It outlives the machine"
  type        = number
  default     = 8
}

variable "canaries" {
  description = "host:port,... that respond while a machine's network works; empty: the agent's default"
  type        = string
  default     = ""
}

variable "public_addresses" {
  description = "Whether each machine has a fixed address, for allow lists of others"
  type        = bool
  default     = true
}

variable "tags" {
  type    = map(string)
  default = {}
}
