# Plans with a mock provider.
mock_provider "aws" {}

variables {
  credentials = {
    fra-1 = { agent_creds = "planted-secret", leaf_creds = "planted-secret", nats_conf = "c", accounts_conf = "a", ca_pem = "p", region_key = "planted-secret", metrics_token = "planted-secret" }
    fra-2 = { agent_creds = "planted-secret", leaf_creds = "planted-secret", nats_conf = "c", accounts_conf = "a", ca_pem = "p" }
  }
}

run "both_together" {
  command = plan
}

run "a_region" {
  command = plan

  module {
    source = "./probe-region"
  }

  variables {
    region        = "fra"
    agents        = ["fra-1", "fra-2"]
    vpc_id        = "vpc-1"
    subnet_ids    = ["subnet-1", "subnet-2"]
    machine_image = "ami-1"
    agent_image   = "probe-mesh/agent@sha256:0000000000000000000000000000000000000000000000000000000000000000"
    nats_image    = "nats@sha256:0000000000000000000000000000000000000000000000000000000000000000"

    metrics_security_group_ids = ["sg-1"]
  }

  assert {
    condition     = length(aws_instance.agent) == 2 && aws_instance.agent["fra-1"].subnet_id != aws_instance.agent["fra-2"].subnet_id
    error_message = "Two agents must be in two subnets."
  }

  assert {
    condition     = alltrue([for machine in aws_instance.agent : machine.metadata_options[0].http_tokens == "required" && machine.metadata_options[0].http_put_response_hop_limit == 1])
    error_message = "Containers must not reach the permissions of the machine."
  }

  assert {
    condition     = alltrue([for machine in aws_instance.agent : machine.root_block_device[0].encrypted]) && alltrue([for disk in aws_ebs_volume.spool : disk.encrypted])
    error_message = "Every disk must be encrypted."
  }

  assert {
    condition     = toset([for rule in aws_vpc_security_group_ingress_rule.metrics : "${rule.referenced_security_group_id}:${rule.from_port}-${rule.to_port}"]) == toset(["sg-1:9464-9464"])
    error_message = "Only the named Prometheus may reach an agent, and only its metrics."
  }

  assert {
    condition     = length(aws_secretsmanager_secret.agent) == 2 && length(aws_iam_role.agent) == 2
    error_message = "Each machine must have its own secret and role."
  }

  assert {
    condition     = alltrue([for version in aws_secretsmanager_secret_version.agent : version.secret_string_wo == null && version.secret_string == null])
    error_message = "No plan and no state may contain a secret."
  }
}

run "a_region_with_more_agents_than_subnets" {
  command = plan

  module {
    source = "./probe-region"
  }

  variables {
    region        = "fra"
    agents        = ["fra-1", "fra-2"]
    vpc_id        = "vpc-1"
    subnet_ids    = ["subnet-1"]
    machine_image = "ami-1"
    agent_image   = "probe-mesh/agent@sha256:0000000000000000000000000000000000000000000000000000000000000000"
    nats_image    = "nats@sha256:0000000000000000000000000000000000000000000000000000000000000000"
  }

  assert {
    condition     = length(aws_instance.agent) == 2
    error_message = "One subnet must fit all agents."
  }
}

run "what_is_wrong_of_a_region" {
  command = plan

  module {
    source = "./probe-region"
  }

  variables {
    region        = "Frankfurt"
    agents        = ["fra-1", "fra-1"]
    vpc_id        = "vpc-1"
    subnet_ids    = []
    machine_image = "debian"
    agent_image   = "probe-mesh/agent:latest"
    nats_image    = "nats"
  }

  expect_failures = [var.region, var.agents, var.subnet_ids, var.machine_image, var.agent_image, var.nats_image]
}

run "control_planes" {
  command = plan

  module {
    source = "./control-plane"
  }

  variables {
    regions             = ["fra", "iad"]
    public_host         = "status.example.com"
    mcp_host            = "mcp.example.com"
    certificate_arn     = "arn:aws:acm:eu-central-1:123456789012:certificate/one"
    nats_urls           = ["tls://nats-1.example.com:4222"]
    vpc_id              = "vpc-1"
    public_subnet_ids   = ["subnet-1", "subnet-2"]
    private_subnet_ids  = ["subnet-3", "subnet-4"]
    load_balancer_cidrs = ["10.0.0.0/24"]
    machine_image       = "ami-1"
    control_plane_image = "probe-mesh/control-plane@sha256:0000000000000000000000000000000000000000000000000000000000000000"
    gateway_image       = "probe-mesh/mcp-gateway@sha256:0000000000000000000000000000000000000000000000000000000000000000"
    secret_arns = {
      database_url        = "arn:database-url"
      clickhouse_url      = "arn:clickhouse-url"
      secrets_key         = "arn:secrets-key"
      gateway_key         = "arn:gateway-key"
      control_plane_creds = "arn:creds"
      server_pem          = "arn:pem"
      server_key          = "arn:key"
      ca_pem              = "arn:ca"
    }
  }

  assert {
    condition     = aws_autoscaling_group.machine.min_size == 2 && length(aws_autoscaling_group.machine.vpc_zone_identifier) == 2
    error_message = "Two machines must be in two zones."
  }

  assert {
    condition     = toset([for rule in aws_vpc_security_group_ingress_rule.from_balancer : rule.from_port]) == toset([8080, 8081])
    error_message = "The load balancer must reach only the two ports of the programs."
  }

  assert {
    condition     = alltrue([for rule in aws_vpc_security_group_ingress_rule.everybody : rule.from_port == 443 && rule.to_port == 443]) && alltrue([for rule in aws_vpc_security_group_ingress_rule.everybody_without_tls : rule.from_port == 80 && rule.to_port == 80])
    error_message = "Only two ports may be public."
  }

  assert {
    condition     = aws_lb_listener.without_tls.default_action[0].type == "redirect" && aws_lb_listener.without_tls.default_action[0].redirect[0].protocol == "HTTPS" && aws_lb_listener.without_tls.default_action[0].redirect[0].status_code == "HTTP_301"
    error_message = "Port 80 must only redirect to TLS."
  }

  assert {
    condition     = toset([for rule in aws_vpc_security_group_egress_rule.out : coalesce(rule.cidr_ipv4, rule.cidr_ipv6)]) == toset(["0.0.0.0/0", "::/0"])
    error_message = "Databases and webhooks may have IPv6 only."
  }

  assert {
    condition     = aws_lb_listener_rule.no_metrics.action[0].fixed_response[0].status_code == "404" && alltrue([for rule in aws_lb_listener_rule.door : rule.priority > aws_lb_listener_rule.no_metrics.priority])
    error_message = "The load balancer must not route the metrics."
  }

  assert {
    condition     = length(aws_vpc_security_group_ingress_rule.metrics) == 0
    error_message = "Without a Prometheus nobody but the load balancer may reach the machines."
  }

  assert {
    condition     = !strcontains(base64decode(aws_launch_template.machine.user_data), "METRICS_TOKEN") && length(regexall("MALLOC_ARENA_MAX=2", base64decode(aws_launch_template.machine.user_data))) == 1
    error_message = "Without a token the programs must not read one."
  }

  assert {
    condition     = alltrue([for group in aws_lb_target_group.door : group.protocol == "HTTPS"]) && aws_lb_listener.outside.protocol == "HTTPS"
    error_message = "Both sides of the load balancer must use TLS."
  }

  assert {
    condition     = aws_launch_template.machine.metadata_options[0].http_tokens == "required"
    error_message = "Containers must not reach the permissions of the machine."
  }
}

run "control_planes_that_prometheus_reads" {
  command = plan

  module {
    source = "./control-plane"
  }

  variables {
    regions             = ["fra"]
    public_host         = "status.example.com"
    mcp_host            = "mcp.example.com"
    certificate_arn     = "arn:aws:acm:eu-central-1:123456789012:certificate/one"
    nats_urls           = ["tls://nats-1.example.com:4222"]
    vpc_id              = "vpc-1"
    public_subnet_ids   = ["subnet-1", "subnet-2"]
    private_subnet_ids  = ["subnet-3"]
    load_balancer_cidrs = ["10.0.0.0/24"]
    machine_image       = "ami-1"
    control_plane_image = "probe-mesh/control-plane@sha256:0000000000000000000000000000000000000000000000000000000000000000"
    gateway_image       = "probe-mesh/mcp-gateway@sha256:0000000000000000000000000000000000000000000000000000000000000000"

    metrics_security_group_ids = ["sg-1", "sg-2"]
    secret_arns = {
      database_url        = "arn:database-url"
      clickhouse_url      = "arn:clickhouse-url"
      secrets_key         = "arn:secrets-key"
      gateway_key         = "arn:gateway-key"
      control_plane_creds = "arn:creds"
      server_pem          = "arn:pem"
      server_key          = "arn:key"
      ca_pem              = "arn:ca"
      metrics_token       = "arn:metrics-token"
    }
  }

  assert {
    condition     = toset([for rule in aws_vpc_security_group_ingress_rule.metrics : "${rule.referenced_security_group_id}:${rule.from_port}"]) == toset(["sg-1:8080", "sg-1:8081", "sg-2:8080", "sg-2:8081"])
    error_message = "Each Prometheus must reach both programs."
  }

  assert {
    condition     = strcontains(base64decode(aws_launch_template.machine.user_data), "secret metrics-token \"arn:metrics-token\"") && strcontains(base64decode(aws_launch_template.machine.user_data), "METRICS_TOKEN_FILE=/run/secrets/metrics-token")
    error_message = "The programs must have the token."
  }
}

run "what_is_wrong_of_control_planes" {
  command = plan

  module {
    source = "./control-plane"
  }

  variables {
    machines            = 0
    ip_address_type     = "ipv6"
    regions             = []
    public_host         = "status.example.com"
    mcp_host            = "mcp.example.com"
    certificate_arn     = "arn:aws:acm:eu-central-1:123456789012:certificate/one"
    nats_urls           = ["nats://nats-1.example.com:4222"]
    nats_replicas       = 2
    vpc_id              = "vpc-1"
    public_subnet_ids   = ["subnet-1"]
    private_subnet_ids  = []
    load_balancer_cidrs = []

    metrics_security_group_ids = ["sg-1"]

    machine_image       = "ami-1"
    control_plane_image = "probe-mesh/control-plane:1.0.0-rc.1"
    gateway_image       = "probe-mesh/mcp-gateway:1.0.0-rc.1"
    secret_arns = {
      database_url        = "arn:database-url"
      clickhouse_url      = "arn:clickhouse-url"
      secrets_key         = "arn:secrets-key"
      gateway_key         = "arn:gateway-key"
      control_plane_creds = "arn:creds"
      server_pem          = "arn:pem"
      server_key          = "arn:key"
      ca_pem              = "arn:ca"
    }
  }

  expect_failures = [
    var.machines, var.regions, var.nats_urls, var.nats_replicas, var.public_subnet_ids, var.private_subnet_ids,
    var.control_plane_image, var.gateway_image, var.ip_address_type, var.metrics_security_group_ids,
  ]
}
