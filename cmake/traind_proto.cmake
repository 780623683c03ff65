# traind_proto(NAME proto_v1 PROTOS a.proto b.proto DEPS traind::proto_options [GRPC])
#   Messages in traind::<NAME>; with GRPC the service stubs in traind::<NAME>_grpc, apart, so that a layer that may not use gRPC
#   can use the messages.
set(TRAIND_PROTO_OUT ${CMAKE_BINARY_DIR}/generated)

# Every generated file names its tables alike, so no unity; a sanitizer would only make it several times slower to compile.
function(traind_generated target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD OFF)
  if(TRAIND_SANITIZER)
    target_compile_options(${target} PRIVATE -fno-sanitize=all)
  endif()
endfunction()

function(traind_proto)
  cmake_parse_arguments(arg "GRPC" "NAME" "PROTOS;DEPS" ${ARGN})
  set(generated)
  set(message_sources)
  set(service_sources)
  foreach(proto ${arg_PROTOS})
    file(RELATIVE_PATH relative ${CMAKE_SOURCE_DIR}/proto ${CMAKE_CURRENT_SOURCE_DIR}/${proto})
    string(REGEX REPLACE "\\.proto$" "" stem ${relative})
    set(outputs ${TRAIND_PROTO_OUT}/${stem}.pb.cc ${TRAIND_PROTO_OUT}/${stem}.pb.h)
    set(plugin)
    list(APPEND message_sources ${TRAIND_PROTO_OUT}/${stem}.pb.cc)
    if(arg_GRPC)
      list(APPEND outputs ${TRAIND_PROTO_OUT}/${stem}.grpc.pb.cc ${TRAIND_PROTO_OUT}/${stem}.grpc.pb.h)
      list(APPEND service_sources ${TRAIND_PROTO_OUT}/${stem}.grpc.pb.cc)
      set(plugin --grpc_out=${TRAIND_PROTO_OUT} --plugin=protoc-gen-grpc=$<TARGET_FILE:gRPC::grpc_cpp_plugin>)
    endif()
    list(APPEND generated ${outputs})
    add_custom_command(
      OUTPUT ${outputs}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${TRAIND_PROTO_OUT}
      COMMAND protobuf::protoc -I ${CMAKE_SOURCE_DIR}/proto --cpp_out=${TRAIND_PROTO_OUT} ${plugin} ${relative}
      WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}/proto
      DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${proto}
      VERBATIM)
  endforeach()
  # All generated sources without compiling them: what static checks need.
  if(NOT TARGET generated)
    add_custom_target(generated)
  endif()
  add_custom_target(traind_${arg_NAME}_generated DEPENDS ${generated})
  add_dependencies(generated traind_${arg_NAME}_generated)
  add_library(traind_${arg_NAME} STATIC ${message_sources})
  traind_generated(traind_${arg_NAME})
  target_include_directories(traind_${arg_NAME} SYSTEM PUBLIC ${TRAIND_PROTO_OUT})
  target_link_libraries(traind_${arg_NAME} PUBLIC protobuf::libprotobuf ${arg_DEPS})
  add_library(traind::${arg_NAME} ALIAS traind_${arg_NAME})
  if(arg_GRPC)
    add_library(traind_${arg_NAME}_grpc STATIC ${service_sources})
    traind_generated(traind_${arg_NAME}_grpc)
    target_link_libraries(traind_${arg_NAME}_grpc PUBLIC traind_${arg_NAME} gRPC::grpc++)
    add_library(traind::${arg_NAME}_grpc ALIAS traind_${arg_NAME}_grpc)
  endif()
endfunction()
