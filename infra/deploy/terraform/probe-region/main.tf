# The agents of one region. Every machine has a leaf node of the mesh's NATS and one agent, which connects
# only to the leaf node and its targets. Machines accept no connections, except of a Prometheus that you name.

locals {
  name   = "probe-mesh-${var.region}"
  tags   = merge(var.tags, { "probe-mesh:region" = var.region })
  agents = { for index, name in var.agents : name => var.subnet_ids[index % length(var.subnet_ids)] }
}

data "aws_region" "here" {}

data "aws_subnet" "of" {
  for_each = local.agents
  id       = each.value
}

resource "aws_security_group" "agent" {
  name        = local.name
  description = "Agents of ${var.region}: outgoing connections only"
  vpc_id      = var.vpc_id
  tags        = local.tags
}

resource "aws_vpc_security_group_egress_rule" "anywhere" {
  for_each          = { v4 = "0.0.0.0/0", v6 = "::/0" }
  security_group_id = aws_security_group.agent.id
  description       = "Targets may be anywhere; the agent's guard decides which it may probe"
  ip_protocol       = "-1"
  cidr_ipv4         = each.key == "v4" ? each.value : null
  cidr_ipv6         = each.key == "v6" ? each.value : null
}

# Prometheus reads the agents' metrics, with their token.
resource "aws_vpc_security_group_ingress_rule" "metrics" {
  for_each                     = toset(var.metrics_security_group_ids)
  security_group_id            = aws_security_group.agent.id
  referenced_security_group_id = each.value
  ip_protocol                  = "tcp"
  from_port                    = 9464
  to_port                      = 9464
}

# One secret for each machine, which only that machine may read.
resource "aws_secretsmanager_secret" "agent" {
  for_each                = local.agents
  name                    = "${local.name}/${each.key}"
  description             = "The credentials of the agent ${each.key} and its leaf node"
  recovery_window_in_days = 7
  tags                    = local.tags
}

resource "aws_secretsmanager_secret_version" "agent" {
  for_each                 = local.agents
  secret_id                = aws_secretsmanager_secret.agent[each.key].id
  secret_string_wo         = jsonencode(var.credentials[each.key])
  secret_string_wo_version = var.credentials_version
}

resource "aws_iam_role" "agent" {
  for_each = local.agents
  name     = "${local.name}-${each.key}"
  tags     = local.tags
  assume_role_policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect    = "Allow"
      Action    = "sts:AssumeRole"
      Principal = { Service = "ec2.amazonaws.com" }
    }]
  })
}

resource "aws_iam_role_policy" "agent" {
  for_each = local.agents
  name     = "its-own-secret"
  role     = aws_iam_role.agent[each.key].id
  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect   = "Allow"
      Action   = "secretsmanager:GetSecretValue"
      Resource = aws_secretsmanager_secret.agent[each.key].arn
    }]
  })
}

resource "aws_iam_instance_profile" "agent" {
  for_each = local.agents
  name     = "${local.name}-${each.key}"
  role     = aws_iam_role.agent[each.key].name
  tags     = local.tags
}

# The spool has its own disk: a replaced machine keeps its readings.
resource "aws_ebs_volume" "spool" {
  for_each          = local.agents
  availability_zone = data.aws_subnet.of[each.key].availability_zone
  size              = var.spool_gib
  type              = "gp3"
  encrypted         = true
  tags              = merge(local.tags, { Name = "${local.name}-${each.key}-spool" })
}

resource "aws_volume_attachment" "spool" {
  for_each    = local.agents
  device_name = "/dev/sdf"
  volume_id   = aws_ebs_volume.spool[each.key].id
  instance_id = aws_instance.agent[each.key].id
}

resource "aws_instance" "agent" {
  for_each                    = local.agents
  ami                         = var.machine_image
  instance_type               = var.instance_type
  subnet_id                   = each.value
  vpc_security_group_ids      = [aws_security_group.agent.id]
  iam_instance_profile        = aws_iam_instance_profile.agent[each.key].name
  associate_public_ip_address = true
  user_data_replace_on_change = true
  user_data = templatefile("${path.module}/start.sh.tftpl", {
    agent       = each.key
    region      = var.region
    aws_region  = data.aws_region.here.name
    secret      = aws_secretsmanager_secret.agent[each.key].arn
    volume      = aws_ebs_volume.spool[each.key].id
    agent_image = var.agent_image
    nats_image  = var.nats_image
    canaries    = var.canaries
  })

  # a compromised container must not reach the permissions of the machine
  metadata_options {
    http_endpoint               = "enabled"
    http_tokens                 = "required"
    http_put_response_hop_limit = 1
  }

  root_block_device {
    encrypted             = true
    volume_type           = "gp3"
    delete_on_termination = true
  }

  tags       = merge(local.tags, { Name = "${local.name}-${each.key}" })
  depends_on = [aws_secretsmanager_secret_version.agent, aws_iam_role_policy.agent]
}

resource "aws_eip" "agent" {
  for_each = var.public_addresses ? local.agents : {}
  domain   = "vpc"
  instance = aws_instance.agent[each.key].id
  tags     = merge(local.tags, { Name = "${local.name}-${each.key}" })
}
