"""Members of a consumer group, as its coordinator sees them."""

from collections.abc import Collection

from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.coordinator.protocol import ConsumerProtocolMemberAssignment
from aiokafka.protocol.group import LeaveGroupRequest


async def remove_member(bootstrap: str, group: str, partitions: Collection[int]) -> None:
    """Remove the member with these partitions from its group, which rebalances at once.

    A static member that has stopped would be missed only when its session has passed.
    """
    admin = AIOKafkaAdminClient(bootstrap_servers=bootstrap)
    await admin.start()
    try:
        answer = (await admin.describe_consumer_groups([group]))[0]
        _, _, _, _, _, members, *_ = answer.groups[0]
        (member,) = (member for member, *_, held in members if _numbers(held) == {*partitions})
        leave = LeaveGroupRequest(group, member)
        # aiokafka's admin client has no method for this request.
        left = await admin._send_request(leave, await admin.find_coordinator(group))
    finally:
        await admin.close()
    assert left.error_code == 0, f"{member} cannot leave {group}"


def _numbers(held: bytes) -> set[int]:
    assignment = ConsumerProtocolMemberAssignment.decode(held).assignment
    return {number for _, numbers in assignment for number in numbers}
